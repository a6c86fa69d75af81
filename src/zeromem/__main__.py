"""`python -m zeromem` is the command line."""

from zeromem.surfaces.cli import main

if __name__ == "__main__":
    main()
