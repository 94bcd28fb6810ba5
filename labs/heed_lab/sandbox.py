"""Where code of others is compiled and run: without network, and as a user who owns nothing, as far as who grades may do that."""
import contextlib
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

FIRST_USER = 61200  # and up, as other services take those for one job, too
COMPILING = {"cpu": 60, "as": 3 << 30, "fsize": 1 << 28, "core": 0}  # seconds, bytes


def limiting(limits):
    """What goes in front of a command that cannot raise these limits, {name of prlimit: value}; where those at hand are lower, they stay."""
    hard = {name: resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1] for name in limits}
    words = [f"--{name}={min(value, hard[name]) if hard[name] >= 0 else value}" for name, value in limits.items()]
    return ["prlimit", *words] if shutil.which("prlimit") else []


def works(words):
    return bool(shutil.which(words[0])) and subprocess.run([*words, "true"], capture_output=True).returncode == 0


class Sandbox:
    """words() go in front of a command. `user` is None where the command runs as who grades."""

    def __init__(self, root):
        net = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]
        self.net, self.drop, self.user, self.notes = net if works(net) else [], [], None, []
        if not self.net:
            self.notes.append("graded with the network at hand: unshare --net does not work here")
        user = FIRST_USER + os.getpid() % 4000
        drop = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"]
        if os.geteuid() == 0 and works(drop) and subprocess.run([*drop, "test", "-r", root / "CMakeLists.txt"]).returncode == 0:
            self.drop, self.user = drop, user
        else:
            self.notes.append("graded as the user at hand: another one needs root, setpriv, and a checkout that all may read")

    def words(self, limits):
        """No network, limits, another user."""
        return [*self.net, *limiting(limits), *self.drop]

    def give(self, folder):
        """Makes the user the owner of a folder, in which a compiler writes."""
        if self.user is not None:
            os.chown(folder, self.user, self.user)

    def take(self, folder):
        """Makes what it wrote ours, so that what runs there changes nothing for the next run; others may read it."""
        for path in [folder, *folder.rglob("*")] if self.user is not None else ():
            os.chown(path, os.geteuid(), os.getegid(), follow_symlinks=False)
        folder.chmod(0o755)

    def end(self):
        """Ends what the user still runs, also what left its group of processes."""
        for _ in range(20 if self.user is not None else 0):
            for pid in (left := processes_of(self.user)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if not left:
                return
            time.sleep(0.01)


def processes_of(user):
    """Those that live; one that ended and waits for its parent does nothing any more."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if path.stat().st_uid == user and (path / "stat").read_text().rpartition(") ")[2][:1] != "Z":
                found.append(int(path.name))
    return found
