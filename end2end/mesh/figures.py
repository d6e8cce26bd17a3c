"""How fast a hub catches up with another, and how late events are in the steady state. Prints two lines. Standard library only.

    python3 figures.py --loggia PATH [--events 100000] [--lag-events 300]
"""

import argparse
import json
import os
import sqlite3
import tempfile
import threading
import time
import urllib.request

from mesh import TOKEN, Hub


def fill(hub, count):
    own = json.load(open(os.path.join(hub.palace, "replica.json")))["replica_id"]
    db = sqlite3.connect(os.path.join(hub.palace, "logstream.sqlite3"))
    at = 1_790_000_000_000
    rows = ((n, f"evt_20260921T120000_{n:012x}", "task.reply", f"project/{n % 20}", "delegation", f"agent-{n % 10}", f"agent-{(n + 1) % 10}",
             f"task-{n // 8}", f"step {n}: " + "walnut harbour ledger copper signal meadow lantern granite ribbon orchard " * 2,
             "2026-09-21T12:00:00Z", "{}", own, n, f"{at + n:013d}-000000-{own}") for n in range(1, count + 1))
    with db:
        db.executemany("INSERT INTO events (rowid, id, type, stream, room, from_agent, to_agent, correlation_id, body, created_at, "
                       "metadata_json, origin_replica, origin_seq, hlc) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", rows)
    db.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loggia", required=True)
    parser.add_argument("--events", type=int, default=100000)
    parser.add_argument("--lag-events", type=int, default=300)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        there, here = Hub(root, "there", args.loggia, True), Hub(root, "here", args.loggia, True)
        try:
            there.start()
            there.process.terminate()
            there.process.wait()
            fill(there, args.events)
            there.start()
            here.start()
            # Counting and indexing of what was filled in is no part of the catch-up.
            time.sleep(15)
            with open(os.path.join(here.palace, "peers.json"), "w") as file:
                json.dump({"peers": [{"name": "there", "url": f"http://127.0.0.1:{there.port}", "token": TOKEN}]}, file)
            begun = first = None
            start = time.time()
            while True:
                count = here.rows("SELECT count(*) FROM events")[0][0]
                if count and begun is None:
                    begun, first = time.time(), count
                if count >= args.events:
                    break
                time.sleep(0.02)
                if time.time() - start > 600:
                    raise SystemExit(f"{count} events after 600 s")
            took = time.time() - begun
            print(f"catch-up: {args.events} events in {took:.1f} s, {(args.events - first) / took:.0f} events/s")
            lag(there, here, args.lag_events)
        finally:
            for hub in (there, here):
                if getattr(hub, "process", None):
                    hub.process.kill()
                    hub.process.wait()


def lag(there, here, count):
    arrived, ready = {}, threading.Event()
    request = urllib.request.Request(f"http://127.0.0.1:{here.port}/logstream/stream?stream=lag",
                                     headers={"Authorization": f"Bearer {TOKEN}"})

    def listen():
        with urllib.request.urlopen(request) as stream:
            ready.set()
            for line in stream:
                if line.startswith(b"id: "):
                    arrived[line[4:].strip().decode()] = time.time()

    threading.Thread(target=listen, daemon=True).start()
    ready.wait(30)
    sent = {}
    for n in range(count):
        at = time.time()
        event = there.call("mempalace_event_append", {"type": "t.x", "stream": "lag", "room": "r", "from_agent": "a", "body": str(n)})
        sent[event["event"]["id"]] = at
        time.sleep(0.05)
    until = time.time() + 60
    while len(arrived) < count and time.time() < until:
        time.sleep(0.05)
    lags = sorted((arrived[i] - at) * 1000 for i, at in sent.items() if i in arrived)
    print(f"lag from append there to stream here, interval 1 s, 20 events/s: {len(lags)} of {count}, p50 {lags[len(lags) // 2]:.0f} ms, "
          f"p99 {lags[int(len(lags) * 0.99)]:.0f} ms, max {lags[-1]:.0f} ms")


if __name__ == "__main__":
    main()
