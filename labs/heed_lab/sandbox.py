"""Where code of others is compiled and run: without network, and as a user who owns nothing, as far as who grades may do that."""
import os
import resource
import shutil
import subprocess

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
        """Ends what the user still runs, also what left its group of processes: all at once, so that nothing forks meanwhile."""
        if self.user is not None:
            subprocess.run([*self.drop, "sh", "-c", "kill -KILL -1"], capture_output=True)
