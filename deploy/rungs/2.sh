# shellcheck shell=bash
# Clean metrics: promtool's own opinion of what a service shows.
clean() {
    promtool check metrics <"$1"
}

check 'dashboards are those that the generator makes' python deploy/dashboards/generate.py --check
if needs promtool 'apt-get install --no-install-recommends prometheus'; then
    shown=$(mktemp -d)
    check 'services start, play, and show their metrics' python -m tests.system.shown gather "$shown"
    for file in "$shown"/*.prom; do
        check "metrics of $(basename "$file" .prom)" clean "$file"
    done
    check 'rules, dashboards and the floor page find what services show' python -m tests.system.shown check "$shown"
    rm -rf "$shown"
fi
