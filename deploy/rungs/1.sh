# shellcheck shell=bash
goes_to() {
    local found
    found=$(amtool config routes test --config.file=deploy/prometheus/alertmanager.yml "severity=$1") || return 1
    [ "$found" = "$2" ] || { echo "severity=$1 goes to $found, not to $2"; return 1; }
}

if needs promtool 'apt-get install --no-install-recommends prometheus'; then
    check 'prometheus.yml' promtool check config --lint=all --lint-fatal deploy/prometheus/prometheus.yml
    for file in deploy/prometheus/rules/*.yaml; do
        check "rules/${file##*/}" promtool check rules --lint=all --lint-fatal "$file"
    done
    for file in deploy/prometheus/tests/*.yaml; do
        check "tests/${file##*/}" promtool test rules "$file"
    done
fi
if needs amtool 'apt-get install --no-install-recommends prometheus-alertmanager'; then
    check 'alertmanager.yml' amtool check-config deploy/prometheus/alertmanager.yml
    check 'page goes to the pager' goes_to page pager
    check 'ticket goes to the tickets' goes_to ticket tickets
fi
