#!/bin/sh
# Plays openibd: the driver that is loaded goes, the one on disk comes.
set -e
modprobe -r mlx5_ib mlx5_core
modprobe mlx5_core
modprobe mlx5_ib
