#!/bin/sh
# The health check of clamd, named as in clamd's own image.
exec clamdscan --quiet --ping 1
