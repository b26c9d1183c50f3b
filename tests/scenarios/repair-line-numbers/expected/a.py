RETRIES = 3


def fetch(url):
    # the gateway drops a call now and then
    for attempt in range(RETRIES):
        answer = get(url, timeout=60)
        if answer.ok:
            return answer
    raise Unreachable(url)


def ping(url):
    return get(url, timeout=10).ok
