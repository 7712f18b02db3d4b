#!/bin/sh
# node_health_npd.sh STATE OLDEST_S: the host's health for node-problem-detector's custom plugin monitor. A shell alone, since its image has no
# Python. Exit 0: no problem; 1: a problem; 2: unknown (kubernetes/node-problem-detector, docs/custom_plugin_monitor.md, v0.8.19).
state=$1 oldest_s=$2
if [ ! -r "$state" ]; then
  echo "no report in $state"
  exit 2
fi
{
  read -r verdict
  read -r time_s
  read -r line
} <"$state"
age_s=$(($(date +%s) - time_s))
if [ "$age_s" -gt "$oldest_s" ]; then
  echo "the report is $age_s s old"
  exit 2
fi
echo "$line"
case $verdict in ok) exit 0 ;; failed) exit 1 ;; *) exit 2 ;; esac
