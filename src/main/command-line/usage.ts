/** What `troupe --help` says. */
export const USAGE = `troupe [FOLDER]                open the window there
troupe run TASK [options]      give a main agent a task, and wait for its report
    --cwd DIR                  the folder it works in (here, by default)
    --agent NAME               the agent definition to run (main)
    --model M                  haiku, sonnet, opus, fable, or a full id
    --permission-mode MODE     default, acceptEdits, plan, dontAsk, bypassPermissions
    --max-turns N              stop after so many turns and ask for the report
    --max-tokens N, --max-usd N, --max-minutes N
                               what the whole conversation may spend; then it reports and ends (exit code 1)
    --resume ID                go on with a conversation, or with one of its agents, by the id
    --trust                    trust the folder for this run
    --rehearsal                no key, no model: a script looks through the folder
    --scenario FILE            play a YAML scenario instead of asking a model
    --agents JSON              more agents: {"name": {"description": "…", "prompt": "…"}}  (also list, lint, explain)
    --agent-file FILE          one more agent, from its file; as often as you like    (also list, lint, explain)
    --json                     one event a line, then a line with the result
troupe agents list             the agent definitions in use here; --all: also those that are not, and why
troupe agents lint [FILE…]     what is wrong with them, or with these files; --fix mends what can be mended
troupe agents explain NAME     what an agent comes to: its tools and why, its model, its limits
    --background, --depth N    started in the background; so deep below the main agent (1)
troupe agents read FILE…       what is in definition files; folders: all *.md below; -: standard input
    --stem NAME                the file name that standard input has not
    --cwd DIR, --trust         list, lint, explain: for that folder, and trusting it
    --json                     one line of JSON for each
troupe conversations list      all conversations                       [--json]
troupe conversations show ID   one of them, with what its agents said  [--json]
troupe worktrees list          what agents wrote in worktrees of their own, and whether it merges
troupe worktrees merge ID      merges it into the branch it came from; ID: an id, a branch, or the beginning of one
    --method M, --into BRANCH  merge, squash, rebase; another branch
    --message TEXT             of the merge commit or the squashed one
    --cherry-pick COMMIT       only this commit; may be said again, in the order they are applied
troupe worktrees discard ID    removes it with its branch; --undo ID: brings it back
    --confirm BRANCH           where something is not merged: the branch's name
troupe worktrees gc            removes all that are merged; --dry-run: only says which
    --cwd DIR, --trust, --json list, merge, discard, gc: for that folder, trusting it; as one JSON value
troupe --help, --version

Nobody can answer questions here: what would ask is denied, unless the permission mode or a rule allows it.
The key is read from ANTHROPIC_API_KEY, another address from ANTHROPIC_BASE_URL, and the data folder from TROUPE_HOME.
Exit: 0 done, 1 the agent failed or reached a limit, a definition has an error, or a worktree was not merged or removed, 2 wrong usage, 3 no access to a model, 130 interrupted.`

/** Exit codes. */
export const EXIT = { done: 0, failed: 1, usage: 2, noAccess: 3, interrupted: 130 } as const
