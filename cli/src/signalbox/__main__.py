"""`python -m signalbox` is the command line."""

from signalbox.commands import main

if __name__ == "__main__":
    main()
