"""Pairs of findings about the same lines, labelled by hand: one problem said twice, or two.

Each is the quoted line, then what two sources say of it: who, category, title, text.
"""

from __future__ import annotations

from typing import NamedTuple


class Said(NamedTuple):
    source: str
    category: str
    title: str
    body: str
    suggestion: str | None = None


class Pair(NamedTuple):
    quote: str
    one: Said
    other: Said


_QUERY = 'rows = db.execute(f"SELECT * FROM users WHERE id = {user_id}")'
_INJECTION = Said(
    "security", "injection", "Possible SQL injection in query",
    "`user_id` comes from the request and becomes part of the statement. Bind it as a parameter.",
)  # fmt: skip
_OPEN = "data = open(path).read()"
_LEAK = Said(
    "bugs", "resource", "The file is never closed",
    "Each call leaves a descriptor open until the garbage collector runs. Use `with`.",
)  # fmt: skip
_MEAN = "return sum(amounts) / len(amounts)"
_ZERO = Said(
    "bugs", "boundary", "An empty list raises ZeroDivisionError",
    "`len(amounts)` is 0 for a shop without orders, and the page fails with a 500.",
)  # fmt: skip
_PASS = "except Exception: pass"
_SWALLOW = Said(
    "bugs", "error-handling", "Errors are swallowed",
    "A failed payment looks like a successful one, since every exception is ignored.",
)  # fmt: skip
_GET = "response = requests.get(url)"
_TIMEOUT = Said(
    "performance", "blocking", "The request has no timeout",
    "`requests.get` waits for ever by default; one dead server hangs every worker.",
)  # fmt: skip
_USER = "name = user.profile.name"
_NONE = Said(
    "bugs", "null-value", "`profile` may be None",
    "Users who signed up by invitation have no profile; this raises AttributeError for them.",
)  # fmt: skip
_LOOP = "for order in orders: order.customer = Customer.objects.get(id=order.customer_id)"
_N1 = Said(
    "performance", "query", "One query for each order",
    "With 500 orders a page makes 500 queries. Fetch all customers with one `id__in` query.",
)  # fmt: skip
_TOKEN = "token = ''.join(random.choice(letters) for _ in range(16))"
_RANDOM = Said(
    "security", "crypto", "The token is predictable",
    "`random` is no cryptographic generator: who sees a few tokens can guess the next. Use "
    "`secrets.token_urlsafe`.",
)  # fmt: skip
_RETRY = "def retry(times=3, errors=[]):"
_DEFAULT = Said(
    "bugs", "logic", "The mutable default is shared between calls",
    "`errors` keeps what earlier calls appended.",
)  # fmt: skip
_NOW = "expires = datetime.now() + timedelta(days=1)"
_ZONE = Said(
    "bugs", "boundary", "A naive local time is compared with UTC",
    "`datetime.now()` has no time zone, while `created` is in UTC; tokens expire hours off.",
)  # fmt: skip
_LAST = "for page in range(1, pages):"
_BOUND = Said(
    "bugs", "boundary", "The last page is never fetched",
    "`range(1, pages)` stops before `pages`. Include it.",
)  # fmt: skip

SAME = {
    "injection, by two agents": Pair(_QUERY, _INJECTION, Said(
        "bugs", "logic", "User input is concatenated into SQL",
        "The id from the request is interpolated into the statement, which allows injection; pass "
        "it as a bound parameter.")),
    "injection, by a tool": Pair(_QUERY, _INJECTION, Said(
        "bandit:B608", "B608", "Possible SQL injection vector through string-based query "
        "construction", "")),
    "leak": Pair(_OPEN, _LEAK, Said(
        "performance", "leak", "File handle leak",
        "The handle is not closed; under load the process runs out of descriptors.")),
    "leak, by a tool": Pair(_OPEN, _LEAK, Said(
        "ruff:SIM115", "SIM115", "Use a context manager for opening files",
        "The file is left open. Use `with` so that it is closed.")),
    "zero": Pair(_MEAN, _ZERO, Said(
        "readability", "error-message", "Division by zero for an empty list",
        "Without orders this divides by zero. Say what the mean of nothing is.")),
    "swallowed": Pair(_PASS, _SWALLOW, Said(
        "readability", "error-message", "Silently ignored exception",
        "Nobody learns that the payment failed: every error is ignored here.")),
    "swallowed, by a tool": Pair(_PASS, _SWALLOW, Said(
        "ruff:S110", "S110", "`try`-`except`-`pass` detected, consider logging the error",
        "The exception is swallowed.")),
    "timeout": Pair(_GET, _TIMEOUT, Said(
        "bugs", "contract", "Missing timeout on an HTTP request",
        "Without a timeout a dead server hangs the worker for ever.")),
    "timeout, by a tool": Pair(_GET, _TIMEOUT, Said(
        "ruff:S113", "S113", "Probable use of `requests` call without timeout", "")),
    "none": Pair(_USER, _NONE, Said(
        "readability", "consistency", "A missing profile is not handled",
        "`profile` is None for users by invitation, and the attribute access raises.")),
    "one query each": Pair(_LOOP, _N1, Said(
        "architecture", "coupling", "N+1 queries",
        "Every order makes one query of its own; fetch the customers with one query.")),
    "random": Pair(_TOKEN, _RANDOM, Said(
        "bugs", "contract", "Tokens can be guessed",
        "`random` is predictable; a token needs a cryptographic generator such as `secrets`.")),
    "mutable default": Pair(_RETRY, _DEFAULT, Said(
        "readability", "misleading-comment", "Mutable default argument",
        "The list is shared between all calls.")),
    "mutable default, by a tool": Pair(_RETRY, _DEFAULT, Said(
        "ruff:B006", "B006", "Do not use mutable data structures for argument defaults", "")),
    "time zone": Pair(_NOW, _ZONE, Said(
        "readability", "naming", "Naive datetime mixed with UTC",
        "The local time without a zone is compared with times in UTC.")),
    "bound": Pair(_LAST, _BOUND, Said(
        "readability", "complexity", "Off by one: the last page is skipped",
        "`range` excludes its end, so the last page is never fetched.")),
    "one suggestion": Pair(_LAST, _BOUND._replace(suggestion="for page in range(1, pages + 1):"),
        Said("architecture", "data-model", "Rows beyond the limit get lost",
             "Callers delete what is not in the list.", "for page in range(1, pages + 1):")),
    "one agent twice, in one title": Pair(_GET, _TIMEOUT, _TIMEOUT._replace(
        title="the request has  no TIMEOUT.", body="In the second pass, too.")),
    "German": Pair(_GET, Said(
        "bugs", "contract", "Die Anfrage hat kein Zeitlimit",
        "Ein toter Server blockiert jeden Prozess, weil kein Zeitlimit gesetzt ist."), Said(
        "performance", "blocking", "Fehlendes Zeitlimit bei der Anfrage",
        "Ohne Zeitlimit blockiert ein toter Server den Prozess.")),
    "French": Pair(_OPEN, Said(
        "bugs", "resource", "Le fichier n'est jamais fermé",
        "Chaque appel laisse un descripteur ouvert."), Said(
        "performance", "leak", "Fichier ouvert et jamais fermé",
        "Le descripteur reste ouvert après chaque appel.")),
    "Spanish": Pair(_MEAN, Said(
        "bugs", "boundary", "División por cero con una lista vacía",
        "Una tienda sin pedidos provoca una división por cero."), Said(
        "readability", "error-message", "La lista vacía provoca una división por cero",
        "Sin pedidos la función falla.")),
    "Japanese": Pair(_MEAN, Said(
        "bugs", "boundary", "空のリストでゼロ除算が発生する",
        "注文がない店舗ではゼロ除算になります。"), Said(
        "readability", "error-message", "空のリストの場合にゼロ除算になる",
        "注文がない場合、ゼロ除算が発生します。")),
    "resource in Go": Pair("resp, err := http.Get(u)", Said(
        "bugs", "resource", "The response body is not closed",
        "Every request leaks a connection. Add `defer resp.Body.Close()`."), Said(
        "performance", "leak", "Connections leak: body is never closed",
        "`resp.Body` has to be closed or the connection is not reused.")),
    "race": Pair("if _, ok := cache[key]; !ok { cache[key] = load(key) }", Said(
        "bugs", "concurrency", "Concurrent map write",
        "Two requests that miss at once write to the map and the program panics."), Said(
        "performance", "caching", "The map is written to without a lock",
        "Handlers run concurrently; a map write at the same time panics. Guard it by a mutex.")),
    "floating point money": Pair("total += price * 1.19", Said(
        "bugs", "logic", "Money is added up as a float",
        "Rounding errors add up; invoices are off by cents."), Said(
        "architecture", "data-model", "Floats for amounts of money",
        "With floats sums are off by cents; use decimals.")),
    "unpinned action": Pair("uses: acme/deploy@main", Said(
        "security", "supply-chain", "The action is not pinned to a commit",
        "Whoever controls `acme/deploy` can run code with our token. Pin it to a full commit id."),
        Said("check:unpinned-action", "supply-chain", "An action is not pinned to a commit",
             "A branch can move. Pin the action to a full commit id.")),
    "hard-coded password": Pair('DB_PASSWORD = "[REDACTED:generic]"', Said(
        "security", "secret", "A password is hard-coded",
        "It stands in the history from now on. Read it from the environment and change it."), Said(
        "check:credential-added", "secret", "A credential is added",
        "Revoke it and read it from the environment.")),
    "xss": Pair("el.innerHTML = comment.text", Said(
        "security", "injection", "Stored XSS through comments",
        "Text of any user becomes HTML in every visitor's page. Use `textContent`."), Said(
        "bugs", "contract", "User text is written as HTML",
        "A comment with `<` is rendered as HTML instead of text; use `textContent`.")),
    "blocking call in a coroutine": Pair("time.sleep(delay)", Said(
        "performance", "blocking", "`time.sleep` blocks the event loop",
        "All other requests wait as well. Await `asyncio.sleep`."), Said(
        "bugs", "concurrency", "Blocking sleep inside a coroutine",
        "The event loop stands still while it sleeps; use `asyncio.sleep`.")),
    "a stale comment": Pair("# retries three times", Said(
        "readability", "misleading-comment", "The comment says three, the code tries five times",
        "The next reader will trust it."), Said(
        "bugs", "contract", "Comment is out of date: five attempts, not three",
        "The code tries five times since this change.")),
    "an index": Pair("db.orders.find({ email: address })", Said(
        "performance", "query", "No index on `email`",
        "The search scans the whole collection of orders."), Said(
        "architecture", "data-model", "Queries by email scan the collection",
        "There is no index for email; add one in a migration.")),
    "deserialization": Pair("state = pickle.loads(request.body)", Said(
        "security", "unsafe-input", "Unpickling a request body runs any code",
        "Whoever can send a request can run code on the server. Use JSON."), Said(
        "bandit:B301", "B301", "Pickle and modules that wrap it can be unsafe when used to "
        "deserialize untrusted data, possible security issue.", "")),
    "a swapped argument": Pair("transfer(target, source, amount)", Said(
        "bugs", "logic", "Source and target are swapped",
        "The money goes the wrong way: the signature is `transfer(source, target, amount)`."), Said(
        "readability", "consistency", "Arguments in the wrong order",
        "`transfer` takes the source first; here source and target are swapped.")),
    "a broken link of retries": Pair("while True: fetch()", Said(
        "bugs", "error-handling", "Endless retry without a pause",
        "When the server is down this loop fills the log and the network."), Said(
        "performance", "io", "The loop retries without backoff",
        "A server that is down gets thousands of requests a second; pause between retries.")),
    "weak hash": Pair("digest = md5(password)", Said(
        "security", "crypto", "Passwords are hashed with MD5",
        "MD5 is fast to guess; use argon2 or bcrypt with a salt."), Said(
        "bandit:B324", "B324", "Use of weak MD5 hash for security", "")),
}  # fmt: skip

DIFFERENT = {
    "injection, and a loop": Pair(_QUERY, _INJECTION, Said(
        "performance", "query", "Query runs in a loop",
        "The query runs once for each `user_id`; fetch all users with one query.")),
    "injection, and all columns": Pair(_QUERY, _INJECTION, Said(
        "performance", "query", "The query fetches all columns",
        "`SELECT *` reads the picture of each user, which is large; name the columns.")),
    "injection, and ownership": Pair(_QUERY, _INJECTION, Said(
        "security", "authorization", "Any user can read any other",
        "`user_id` comes from the request and nobody checks that it is the caller's own.")),
    "leak, and memory": Pair(_OPEN, _LEAK, Said(
        "performance", "memory", "The whole file is read into memory",
        "Exports have gigabytes; read the file in pieces.")),
    "leak, and traversal": Pair(_OPEN, _LEAK, Said(
        "security", "unsafe-input", "The path comes from the request",
        "`../` in it reads any file of the server. Resolve it against the folder of uploads.")),
    "leak, and encoding": Pair(_OPEN, _LEAK, Said(
        "bugs", "contract", "The file is read in the platform's encoding",
        "On Windows this is not UTF-8. Give `encoding`.")),
    "zero, and type": Pair(_MEAN, _ZERO, Said(
        "bugs", "contract", "A generator has no length",
        "`amounts` is a generator for imported orders; `len` raises TypeError.")),
    "zero, and rounding": Pair(_MEAN, _ZERO, Said(
        "bugs", "logic", "Cents get lost", "The amounts are floats; sum decimals instead.")),
    "swallowed, and interrupt": Pair(_PASS, _SWALLOW, Said(
        "architecture", "responsibility", "Retrying belongs to the queue",
        "The payment service retries already, so that failed payments are booked twice.")),
    "timeout, and forgery": Pair(_GET, _TIMEOUT, Said(
        "security", "unsafe-input", "Requests can be sent to internal hosts",
        "`url` comes from the form; `http://169.254.169.254/` returns credentials.")),
    "timeout, and status": Pair(_GET, _TIMEOUT, Said(
        "bugs", "error-handling", "The status of the response is not checked",
        "A 500 is parsed as if it were the list. Call `raise_for_status`.")),
    "timeout, and session": Pair(_GET, _TIMEOUT, Said(
        "performance", "io", "Each request opens a new connection",
        "`requests.get` in a worker pays a handshake each time; keep a session.")),
    "none, and query": Pair(_USER, _NONE, Said(
        "performance", "query", "`profile` is loaded for each user",
        "The attribute access makes a query; use `select_related`.")),
    "none, and exposure": Pair(_USER, _NONE, Said(
        "security", "data-exposure", "Real names of hidden users are shown",
        "Users who hid their profile appear with their name.")),
    "none, of another name": Pair(_USER, _NONE, Said(
        "bugs", "null-value", "`user` may be None",
        "Guests have no user; the session holds None until they log in.")),
    "one query each, and absence": Pair(_LOOP, _N1, Said(
        "bugs", "error-handling", "A deleted customer raises DoesNotExist",
        "Orders outlive their customers; one such order fails the whole page.")),
    "random, and length": Pair(_TOKEN, _RANDOM, Said(
        "security", "crypto", "Sixteen letters are too short",
        "The token has 75 bits and never expires; use 32 bytes.")),
    "mutable default, and the count": Pair(_RETRY, _DEFAULT, Said(
        "bugs", "logic", "The default of `times` was 5",
        "Callers that rely on it give up earlier than before.")),
    "time zone, and lifetime": Pair(_NOW, _ZONE, Said(
        "security", "authentication", "Tokens live for a day",
        "A stolen token works until tomorrow; an hour is enough.")),
    "time zone, and testing": Pair(_NOW, _ZONE, Said(
        "architecture", "responsibility", "The clock cannot be replaced",
        "Tests have to sleep. Take the time as an argument.")),
    "bound, and requests": Pair(_LAST, _BOUND, Said(
        "performance", "io", "Pages are fetched one after the other",
        "The calls do not depend on each other; ask for them in parallel.")),
    "one agent, two problems": Pair(_GET, _TIMEOUT, Said(
        "performance", "blocking", "The request blocks the event loop",
        "`requests.get` is called from a coroutine, where it hangs every other task.")),
    "one tool, two rules": Pair("import os, sys", Said(
        "ruff:F401", "F401", "`os` imported but unused", "Remove unused import: `os`"), Said(
        "ruff:E401", "E401", "Multiple imports on one line", "Split imports")),
    "German": Pair(_GET, Said(
        "bugs", "contract", "Die Anfrage hat kein Zeitlimit",
        "Ein toter Server blockiert jeden Prozess."), Said(
        "security", "unsafe-input", "Die Adresse kommt aus der Anfrage",
        "Damit lassen sich interne Server erreichen.")),
    "resource, and status in Go": Pair("resp, err := http.Get(u)", Said(
        "bugs", "resource", "The response body is not closed",
        "Every request leaks a connection. Add `defer resp.Body.Close()`."), Said(
        "bugs", "error-handling", "An error status of the response is taken for data",
        "`http.Get` returns no error for a 500. Check `resp.StatusCode`.")),
    "race, and growth": Pair("if _, ok := cache[key]; !ok { cache[key] = load(key) }", Said(
        "bugs", "concurrency", "Concurrent map write",
        "Two requests that miss at once write to the map and the program panics."), Said(
        "performance", "memory", "The cache grows without a bound",
        "Keys come from the request, so memory fills until the process is killed.")),
    "float, and the rate": Pair("total += price * 1.19", Said(
        "bugs", "logic", "Money is added up as a float",
        "Rounding errors add up; invoices are off by cents."), Said(
        "architecture", "configuration", "The tax rate is written into the code",
        "Rates differ by country and change; read it from the configuration.")),
    "unpinned action, and its permission": Pair("uses: acme/deploy@main", Said(
        "security", "supply-chain", "The action is not pinned to a commit",
        "Whoever controls `acme/deploy` can run code with our token."), Said(
        "security", "authorization", "The deploy step runs for pull requests of forks",
        "The job has no condition, so a stranger's code reaches production.")),
    "two imports of one tool": Pair("import os, sys", Said(
        "ruff:F401", "F401", "`os` imported but unused", "Remove unused import: `os`"), Said(
        "ruff:F401", "F401", "`sys` imported but unused", "Remove unused import: `sys`")),
    "two parameters": Pair("def send(to, subject, body):", Said(
        "bugs", "null-value", "`to` may be empty",
        "Then nothing is sent and nobody is told."), Said(
        "bugs", "null-value", "`subject` may be empty",
        "Then servers treat the mail as spam and nobody is told.")),
    "two agents, two parameters": Pair("shutil.copy(source, target)", Said(
        "security", "unsafe-input", "`source` is not validated",
        "It comes from the request and may name any file."), Said(
        "bugs", "unsafe-input", "`target` is not validated",
        "It comes from the request and may name a folder that does not exist.")),
    "xss, and the flash": Pair("el.innerHTML = comment.text", Said(
        "security", "injection", "Stored XSS through comments",
        "Text of any user becomes HTML in every visitor's page."), Said(
        "performance", "io", "The whole list is laid out anew for each comment",
        "Writing HTML in a loop makes the browser lay out each time; build one fragment.")),
    "sleep, and its length": Pair("time.sleep(delay)", Said(
        "performance", "blocking", "`time.sleep` blocks the event loop",
        "All other requests wait as well."), Said(
        "bugs", "boundary", "`delay` grows without a limit",
        "After ten failures a job sleeps for hours.")),
    "an index, and a leak of data": Pair("db.orders.find({ email: address })", Said(
        "performance", "query", "No index on `email`",
        "The search scans the whole collection of orders."), Said(
        "security", "unsafe-input", "`address` may be an object",
        'A JSON body of {"$ne": ""} finds the orders of everybody.')),
    "mutable default, and the count, by two": Pair(_RETRY, _DEFAULT, Said(
        "architecture", "api-compatibility", "The default of `times` was 5",
        "Calls that rely on the default give up earlier than before.")),
    "what is read, twice": Pair('config = yaml.load(open("config.yml"))', Said(
        "security", "unsafe-input", "`yaml.load` builds any object that the file names",
        "Who can write the configuration file can run code. Use `safe_load`."), Said(
        "bugs", "resource", "The configuration file is left open",
        "Nobody closes the file that `open` returns. Use `with`.")),
    "two limits": Pair("items = Item.objects.all()[:limit]", Said(
        "performance", "query", "`limit` has no upper bound",
        "A request with a limit of a million loads a million items."), Said(
        "bugs", "boundary", "A negative `limit` raises an error",
        "A request with a limit of -1 fails with a 500; refuse it.")),
    "log, of what and how": Pair('log.info("login %s %s", user, password)', Said(
        "security", "data-exposure", "The password is written to the log",
        "Everybody with access to the logs can read it."), Said(
        "readability", "error-message", "The log entry does not say whether the login succeeded",
        "At night one needs to know which logins failed.")),
    "one column, two troubles": Pair("op.add_column('users', Column('age', nullable=False))", Said(
        "architecture", "migration", "The new column has no default for existing rows",
        "The migration fails on a table that has rows: they would be null."), Said(
        "performance", "blocking", "The migration locks the table of users",
        "Adding the column rewrites all rows; logins wait for minutes.")),
    "one promise, two troubles": Pair("await Promise.all(users.map(send))", Said(
        "bugs", "error-handling", "One failed mail hides the results of all others",
        "`Promise.all` rejects with the first error; use `allSettled`."), Said(
        "performance", "io", "All mails are sent at the same time",
        "Thousands of requests at once are refused by the mail server; send a few at a time.")),
    "one condition, two troubles": Pair("if user.is_admin or user.id == order.user_id:", Said(
        "security", "authorization", "A suspended admin may still read orders",
        "`is_admin` stays true after an account is suspended."), Said(
        "readability", "complexity", "Who may read an order is decided in three places",
        "The same condition stands in the view and in the export; name it once.")),
    "one date, two troubles": Pair('day = datetime.strptime(text, "%d/%m/%Y")', Said(
        "bugs", "error-handling", "A date in another form raises ValueError",
        "The upload of a whole file fails for one bad date."), Said(
        "architecture", "data-model", "Dates are day first here and month first in the export",
        "What the export writes is read back with day and month swapped.")),
    "one dead server, two troubles": Pair("fetch(address)", Said(
        "performance", "blocking", "Without a timeout a dead server stops every worker",
        "All workers wait for the dead server at once."), Said(
        "bugs", "error-handling", "Without backoff every worker floods a dead server",
        "All workers wait for the dead server, and ask it again at once.")),
}  # fmt: skip
