# shellcheck shell=bash
# One floor, one fault after the other: what takes long is to start it.
if needs prometheus 'apt-get install --no-install-recommends prometheus' &&
    needs prometheus-alertmanager 'apt-get install --no-install-recommends prometheus-alertmanager'; then
    check 'drills: evaluator-down, database-down, device-silent' \
        floorbook drill evaluator-down database-down device-silent
fi
