/** What `troupe --help` says. */
export const USAGE = `troupe [FOLDER]                open the window there
troupe run TASK [options]      give a main agent a task, and wait for its report
    --cwd DIR                  the folder it works in (here, by default)
    --agent NAME               the agent definition to run (main)
    --model M                  haiku, sonnet, opus, fable, or a full id
    --permission-mode MODE     default, acceptEdits, plan, dontAsk, bypassPermissions
    --max-turns N              stop after so many turns and ask for the report
    --resume ID                go on with a conversation, by its id or its main agent's
    --trust                    trust the folder for this run
    --rehearsal                no key, no model: a script looks through the folder
    --scenario FILE            play a YAML scenario instead of asking a model
    --json                     one event a line, then a line with the result
troupe agents list             the agent definitions that hold here    [--cwd DIR] [--trust] [--json]
troupe conversations list      all conversations                       [--json]
troupe conversations show ID   one of them, with what its agents said  [--json]
troupe --help, --version

Nobody can answer questions here: what would ask is denied, unless the permission mode or a rule allows it.
The key is read from ANTHROPIC_API_KEY, another address from ANTHROPIC_BASE_URL, and the data folder from TROUPE_HOME.
Exit: 0 done, 1 the agent failed, 2 wrong usage, 3 no access to a model, 130 interrupted.`

/** Exit codes. */
export const EXIT = { done: 0, failed: 1, usage: 2, noAccess: 3, interrupted: 130 } as const
