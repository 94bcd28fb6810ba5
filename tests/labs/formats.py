"""What platforms document of the results that they read, as checks: each raises AssertionError that names what is wrong."""
import re
import xml.etree.ElementTree as ElementTree

NUMBER = (int, float)
VISIBILITY = ("hidden", "after_due_date", "after_published", "visible")
TEXT_FORMAT = ("text", "html", "simple_format", "md", "ansi")

# https://gradescope-autograders.readthedocs.io/en/latest/specs/, section "Output format": {key: type, or the words allowed}
GRADESCOPE = {"score": NUMBER, "execution_time": NUMBER, "output": str, "output_format": TEXT_FORMAT, "test_output_format": TEXT_FORMAT,
              "test_name_format": TEXT_FORMAT, "visibility": VISIBILITY, "stdout_visibility": VISIBILITY, "extra_data": dict,
              "tests": list, "leaderboard": list}
GRADESCOPE_TEST = {"score": NUMBER, "max_score": NUMBER, "status": ("passed", "failed"), "name": str, "name_format": TEXT_FORMAT,
                   "number": str, "output": str, "output_format": TEXT_FORMAT, "tags": list, "visibility": VISIBILITY,
                   "extra_data": dict}
GRADESCOPE_BOARD = {"name": str, "value": (*NUMBER, str), "order": ("asc", "desc")}

# https://github.com/jenkinsci/xunit-plugin, junit-10.xsd: {element: (attributes that must be there, that may be, elements within)}
JUNIT = {"testsuite": ({"name", "tests", "failures", "errors"},
                       {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url", "version"},
                       {"properties", "testcase", "system-out", "system-err"}),
         "testcase": ({"name"}, {"classname", "time", "group"},
                      {"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError", "system-out", "system-err"}),
         "failure": (set(), {"type", "message"}, set())}


def fits(row, schema, label):
    for key, value in row.items():
        assert key in schema, f"{label}: {key} is not documented"
        allowed = schema[key]
        words = isinstance(allowed, tuple) and isinstance(allowed[0], str)
        assert value in allowed if words else isinstance(value, allowed) and not isinstance(value, bool), f"{label}: {key}: {value!r}"


def check_gradescope(row):
    fits(row, GRADESCOPE, "results.json")
    for entry in row.get("leaderboard", ()):
        fits(entry, GRADESCOPE_BOARD, "leaderboard")
        assert {"name", "value"} <= set(entry), entry
    assert "score" in row or all("score" in test for test in row["tests"]), "a score, or one of each test"
    for test in row.get("tests", ()):
        fits(test, GRADESCOPE_TEST, test.get("name"))
        assert all(isinstance(tag, str) for tag in test.get("tags", ())), test
        assert 0 <= test["score"] <= test["max_score"], test


# https://github.com/foundation50/classroom50/wiki/Advanced-Autograding, "The result.json contract"; assignment_type and owner are
# stamped by its runner
CLASSROOM50 = {"schema": ("classroom50/result/v1",), "classroom": str, "assignment": str, "assignment_type": ("individual", "group"),
               "owner": str, "submission": str, "commit": str, "release": str, "review": str, "datetime": str, "graded_at": str,
               "score": int, "max-score": int, "tests": list, "submitted_by": dict}
CLASSROOM50_STAMPED = {"assignment_type", "owner", "graded_at", "submitted_by"}


def check_classroom50(row):
    fits(row, CLASSROOM50, "result.json")
    assert set(CLASSROOM50) - CLASSROOM50_STAMPED <= set(row), set(CLASSROOM50) - set(row)
    assert all(row[key] for key in ("classroom", "assignment", "submission", "commit", "release", "review")), row
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["datetime"]), row["datetime"]
    for test in row["tests"]:  # may have more keys
        assert isinstance(test["test-name"], str) and isinstance(test["passed"], bool), test
        assert isinstance(test["score"], int) and 0 <= test["score"] <= test["max-score"], test
    for key in ("score", "max-score"):
        assert row[key] == sum(test[key] for test in row["tests"]), key


def check_autolab(row):
    """https://docs.autolabproject.com/lab/: the last line of standard output, {"scores": {problem: number}, "scoreboard": [...]}."""
    assert set(row) <= {"scores", "scoreboard"}, row
    assert row["scores"] and all(isinstance(k, str) and isinstance(v, NUMBER) for k, v in row["scores"].items()), row


def check_junit(text):
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuite", root.tag
    for element in root.iter():
        must, may, _ = JUNIT[element.tag]
        assert must <= set(element.keys()) <= must | may, (element.tag, element.keys())
        assert {child.tag for child in element} <= JUNIT[element.tag][2], element.tag
    assert int(root.get("tests")) == len(root.findall("testcase"))
    assert int(root.get("failures")) == len(root.findall("testcase/failure"))


# https://json.schemastore.org/github-workflow.json: keys of a workflow, of a job, of a step; and the scopes of a token
WORKFLOW = {"name", "run-name", "on", "permissions", "env", "defaults", "concurrency", "jobs"}
JOB = {"name", "needs", "permissions", "runs-on", "environment", "outputs", "env", "defaults", "if", "steps", "timeout-minutes",
       "strategy", "continue-on-error", "container", "services", "concurrency"}
STEP = {"id", "if", "name", "uses", "run", "working-directory", "shell", "with", "env", "continue-on-error", "timeout-minutes"}
SCOPES = {"actions", "attestations", "checks", "contents", "deployments", "discussions", "id-token", "issues", "packages", "pages",
          "pull-requests", "repository-projects", "security-events", "statuses"}


def check_workflow(row):
    """A workflow of GitHub Actions, of which all scalars are texts."""
    assert {"on", "jobs"} <= set(row) <= WORKFLOW, set(row)
    for scope, level in row.get("permissions", {}).items():
        assert scope in SCOPES and level in ("read", "write", "none"), (scope, level)
    assert row["jobs"], "a workflow has at least one job"
    for name, job in row["jobs"].items():
        assert re.fullmatch(r"[A-Za-z_][\w-]*", name), name
        assert {"runs-on", "steps"} <= set(job) <= JOB, (name, set(job))
        assert re.fullmatch(r"\d+", job.get("timeout-minutes", "360")), job["timeout-minutes"]
        for step in job["steps"]:
            assert set(step) <= STEP, set(step) - STEP
            assert ("uses" in step) != ("run" in step), f"a step either uses or runs: {step}"
            assert re.fullmatch(r"[\w.-]+(/[\w.-]+)+@[\w./-]+", step.get("uses", "a/b@c")), step["uses"]
            assert "uses" in step or "with" not in step, f"inputs without an action: {step}"
            assert "run" in step or not {"shell", "working-directory"} & set(step), f"nothing runs: {step}"


# https://raw.githubusercontent.com/devcontainers/spec/main/schemas/devContainer.base.schema.json: {key: type} of those in use
DEVCONTAINER = {"name": str, "build": dict, "hostRequirements": dict, "capAdd": list, "securityOpt": list, "updateContentCommand": str,
                "postCreateCommand": str, "customizations": dict}
DEVCONTAINER_BUILD = {"dockerfile": str, "context": str, "target": str}


def check_devcontainer(row):
    fits(row, DEVCONTAINER, "devcontainer.json")
    fits(row["build"], DEVCONTAINER_BUILD, "build")
    fits(row.get("hostRequirements", {}), {"cpus": int}, "hostRequirements")
    assert "dockerfile" in row["build"], "an image is asked for"
