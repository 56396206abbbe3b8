/** The text of `troupe --help`. */
export const USAGE = `troupe [FOLDER]                open the window, for the folder
    --allow RULE, --deny RULE, --mcp-config FILE
                               as with run, until the program ends
troupe run TASK [options]      run a task with a main agent and print its report
    --cwd DIR                  the working folder (default: the current one)
    --agent NAME               the main agent’s definition (default: main)
    --coordinator              the main agent only plans, starts agents and merges their work
                               (--no-coordinator: not, whatever the settings say)
    --model M                  haiku, sonnet, opus, fable, or a full id
    --permission-mode MODE     default, acceptEdits, plan, dontAsk, bypassPermissions
    --allow RULE, --deny RULE  permission rules for this run, such as "Bash(npm test)"; repeatable
    --mcp-config FILE          MCP servers for this run, as in .mcp.json; repeatable
    --max-turns N              stop after N turns and ask for the report
    --max-tokens N, --max-usd N, --max-minutes N
                               limits of the conversation; at a limit it reports and ends (exit code 1)
    --verify                   verify the changes afterwards; exit code 1 if the verification fails
    --wait-for-limit           wait for the end of a usage limit of the API, however long it takes
    --resume ID                resume a conversation or one of its agents
    --trust                    trust the folder for this run
    --mark-folder              mark the folder for bypassPermissions, for this run
    --rehearsal                no key, no model: a script surveys the folder
    --scenario FILE            play a YAML scenario instead of calling a model
    --agents JSON              more agents: {"name": {"description": "…", "prompt": "…"}}  (also list, lint, explain)
    --agent-file FILE          one more agent, from a file; repeatable   (also list, lint, explain)
    --json                     print one event per line, then a line with the result
troupe best TASK --agents A,B  give the task to several agents (2 to 8), each in its own git worktree, and compare them
    --agents LIST              names with commas between, each with a model if you like: claude,general-purpose=opus
    --test CMD                 the command that checks each result (default: what package.json or the like suggests)
    --no-test                  check nothing
    --agent-file, --cwd, --model, --permission-mode, --allow, --deny, --mcp-config, --max-tokens, --max-usd,
    --max-minutes, --trust, --rehearsal, --scenario, --json
                               as with run
troupe acp [options]           serve an editor that speaks the Agent Client Protocol: Zed, JetBrains, Neovim
    --agent, --model, --permission-mode, --allow, --deny, --mcp-config, --rehearsal, --scenario, --agents, --agent-file
                               as with run, for the sessions of this editor
    --trust                    trust the folders of the sessions until the editor ends
troupe agents list             list the agents in use here; --all: also the others, with reasons
troupe agents lint [FILE…]     check the definitions here, or files; --fix applies fixes
troupe agents explain NAME     show an agent’s effective tools, model and limits
    --background, --depth N    as a background agent; at this depth (default: 1)
troupe agents approve NAME     show a project’s agent that waits because it changed, and let it be used
troupe agents read FILE…       print definition files; a folder: all its *.md; -: standard input
    --stem NAME                the file name for standard input
    --cwd DIR, --trust         list, lint, explain, approve: use this folder; trust it
    --json                     print one line of JSON per item
troupe conversations list      list all conversations        [--json]
troupe conversations show ID   print a conversation’s agents [--json]
troupe context ID              say what fills the context window of a conversation’s main agent
    --agent NAME, --json       of another agent, by name or id; print JSON
troupe worker                  carry out a team member in this terminal
    --team TEAM --name NAME    the member, whose backing is pane
    --idle SECONDS             end after this time without work (default: stay)
troupe trust list              list the folders that you trust        [--json]
troupe trust add [FOLDER]      trust a folder with all in it; revoke [FOLDER]: not any more
troupe permissions test CALL   say whether a call such as 'Bash(npm test && rm -rf x)' is allowed, asked or denied,
                               and by which rule of which file; its own exit codes: 0 allowed, 1 denied,
                               2 wrong usage, 3 asked; explain: the same, with exit code 0
    --agent NAME, --mode M     for this agent (default: main), in this permission mode
troupe permissions list        list the rules that hold here, with file and line
troupe permissions approve     see and approve what came into settings and instructions since you last saw them
    --allow RULE, --deny RULE  test, list: with these rules too; repeatable
    --cwd DIR, --trust, --json test, list: use this folder; trust it; print JSON
troupe mcp list                list the MCP servers here, with their state and source
troupe mcp test NAME           connect to one and list its tools
troupe mcp approve NAME        let a project’s server start as it is defined now; refuse NAME: keep it off
troupe mcp add NAME -- COMMAND add a server to .mcp.json here and approve it; or NAME URL; remove NAME: remove it
    --place project|local|user mcp add: .mcp.json, .claude/settings.local.json or ~/.claude/settings.json
    --env NAME=V, --header 'N: V'  mcp add: for its process or its requests; repeatable
    --cwd DIR, --trust, --json mcp: use this folder; trust it; print JSON
troupe models list             list the models of the providers in the settings   [--json]
troupe models probe MODEL      test a model, as NAME/MODEL: does it stream, call a tool, count tokens?   [--json]
troupe doctor                  list every file of your setup that was found: what of it counts, what does not, and why
troupe doctor import FILE      show what another program's file becomes here, ask, and write it: MCP servers of
                               .cursor/mcp.json and others, rules of .cursor/rules, copilot-instructions.md and others
troupe doctor undo FILE        take back what was imported from it
    --all, --yes               doctor import: import all files; don't ask
    --cwd DIR, --trust, --json doctor: use this folder; trust it; print JSON
troupe hooks list              list the hooks here, with their state and source
troupe hooks test EVENT        run the hooks of an event with a sample input, and print their answers
    --tool NAME, --input JSON  the tool of the sample, and its input
troupe hooks approve N         let a project’s hook run as it is defined now; refuse N: keep it off
    --cwd DIR, --trust, --json hooks: use this folder; trust it; print JSON
troupe changes list ID         list what agents of a conversation changed in files, by message
troupe changes revert ID       undo it, after a preview; all of it, or with one of:
    --agent NAME, --file PATH  what one agent changed; one file
    --to N                     everything since your message N; a new conversation continues from there
troupe changes redo ID         take the last undo back
    --conflicts CHOICE         revert, redo: where later changes overlap: leave (the file, default), keep or old
    --yes, --json              revert, redo: don’t ask; print one JSON value (also list)
troupe plugins list            list the plugins, with what they bring and their digests   [--json]
troupe plugins add SOURCE      add a folder or a git repository: OWNER/REPO of GitHub, or URL; …#NAME: one of a marketplace
troupe plugins enable NAME DIGEST, disable NAME, remove NAME, update NAME
troupe programs list           list the external agents that agents can be: Claude Code, Codex, Gemini CLI, opencode
troupe programs install NAME   install one with npm, after showing its publisher and size; update [NAME]: to a newer version
    --yes                      don’t ask
troupe programs remove NAME    delete what Troupe installed
troupe programs check NAME     start it once: its version, what it can do, whether it needs a login (then exit code 1)
troupe programs enable NAME    make one that is on your PATH an agent; disable NAME: not any more
troupe programs add NAME -- COMMAND
                               make another program that speaks the Agent Client Protocol an agent
    --description TEXT         when to use it, for the main agent
    --env NAME                 a variable that it gets; repeatable
    --json                     print JSON                 (also with the others)
troupe worktrees list          list agents’ worktrees with their changes and merge checks
troupe worktrees merge ID      merge a worktree into its target; ID: an id, a branch, or a prefix
    --method M, --into BRANCH  merge, squash or rebase; into another branch
    --message TEXT             the message of the merge or squash commit
    --cherry-pick COMMIT       only this commit; repeatable, in the order of application
troupe worktrees discard ID    remove a worktree and its branch; --undo ID: restore it
    --confirm BRANCH           the branch’s name, required for unmerged work
troupe worktrees gc            remove all merged worktrees; --dry-run: only list them
    --cwd DIR, --trust, --json use this folder; trust it; print one JSON value
troupe worker --connect URL    carry out jobs of other machines, from the NATS server at URL
    --creds FILE, --ca FILE    the worker’s credentials, and the certificate of the server’s authority
    --check                    only say whether everything is there (exit code 1: something is missing)
troupe worker key              print the public key that signs the jobs you send
troupe worker trust KEY        carry out the jobs of the sender with this key; KEY: the key, or a file with it
troupe nats setup              write the files of a NATS server: TLS, credentials, permissions, a systemd unit
    --host NAME                a name or IP address of the server; repeatable
    --sender NAME, --worker NAME, --remove NAME
                               add a user, or remove one; repeatable
    --folder DIR, --port N, --renew
                               where (default: the data folder); the port; a new certificate
troupe --help, --version

A run has no user to ask: permission requests are denied, unless the permission mode or a rule allows the call.
Environment: ANTHROPIC_API_KEY (key), ANTHROPIC_BASE_URL (another API), TROUPE_HOME (data folder), TROUPE_COORDINATOR_MODE=1 (like --coordinator).
Exit codes: 0 done, 1 failed (agent failed or reached a limit, definition has an error, worktree not merged or removed), 2 wrong usage, 3 no access to a model, 130 interrupted.`

/** The part of the usage about one command, such as `nats`; all of it for null and for an unknown one. */
export function usageOf(command: string | null): string {
  const lines = USAGE.split('\n')
  let isWanted = false
  const own = lines.filter((line) => {
    if (!line.startsWith(' '))
      isWanted = command !== null && line.split(' ')[1] === command && line.startsWith('troupe ')
    return isWanted
  })
  if (own.length === 0) return USAGE
  const codes = lines.filter((line) => line.startsWith('Exit codes:'))
  return [...own, '', ...codes, 'All commands: troupe --help'].join('\n')
}

/** Exit codes. */
export const EXIT = { done: 0, failed: 1, usage: 2, noAccess: 3, interrupted: 130 } as const
