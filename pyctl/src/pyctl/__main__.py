"""`python -m pyctl` is the command `pyctl`."""

from pyctl.cli.main import main

if __name__ == "__main__":
    main()
