/** One line about each setting of the program's own file, in markdown, for docs/using/settings.md. */
import type { Settings } from './settings.ts'

export const settingMeanings: Readonly<Record<keyof Settings, string>> = {
  theme: '`system`, `dark` or `light`',
  zoom: 'the size of everything in the windows in percent, 80 to 200',
  model: 'the model of new conversations: haiku, sonnet, opus, fable, or an id',
  effort:
    'how much the model thinks and answers, in new conversations: `low`, `medium`, `high`, `xhigh` or `max`; `null`: the model’s own default',
  thinking:
    'whether the model thinks before it answers, in new conversations: `on` or `off`; `null`: the model’s own default. Some models always think',
  modelAliases: 'other ids for those names: `{"haiku": "…"}`',
  providers:
    'servers with the Messages API beside the main one, by name; their models are `NAME/model`. See [local-models.md](local-models.md)',
  mainAgent:
    'the agent that carries out new conversations, such as `claude-code`; `null`: Troupe’s own main agent. Without effect in coordinator mode and in a rehearsal',
  programs:
    'whether an [external agent](other-agents.md) is an agent: `{"gemini": true}`; missing: one that Troupe installed is, one that was only found is not',
  histories:
    'whether Troupe reads the [conversations of other agent programs](histories.md): `{"claude": true}`; missing: the window asks first',
  permissionMode: 'the mode of new conversations; see [permissions.md](permissions.md)',
  maxParallelAgents:
    'concurrent subagents in a conversation, 1 to 100; others wait, the main agent never does',
  maxAgents: 'total agents in a conversation, 1 to 1000',
  maxDepth:
    'levels of agents below the main agent: at 1 subagents start agents only if their `tools` name the types; maximum 3',
  forkSubagents: 'whether a subagent without a type is a fork, which begins with the whole conversation',
  mcpToolsForSubagents:
    'the tools of [MCP servers](mcp.md) that subagents have: `all`, `listed` (those that their `tools` name) or `none`',
  mcpSampling:
    'names of [MCP servers](mcp.md) that may ask the model while they answer a call; the tokens count as those of the agent that called',
  hooksMayAllow:
    'whether an “allow” of [your own hooks](hooks.md#allowing-calls) answers a request that a rule could answer; hooks of projects, plugins and agents never do',
  coordinatorMode: 'whether new conversations are in [coordinator mode](coordinator.md)',
  agentTokens:
    'token limit of a subagent and all agents below it, at least 1000; cached tokens count by their price; `null`: no limit. See [limits.md](limits.md)',
  agentUsd:
    'the same in US dollars; another amount than the default also refuses models without a known price',
  agentMinutes: 'time limit of a foreground subagent in minutes',
  backgroundMinutes: 'the same for a background subagent',
  agentSpawns: 'agents that one subagent may start, 0 to 1000; `null`: no limit',
  conversationTokens: 'token limit of all agents of a conversation together, at least 1000; `null`: no limit',
  conversationUsd: 'the same in US dollars; as with `agentUsd`',
  conversationMinutes:
    'time limit of a conversation since the last message to its idle main agent, in minutes',
  worktreeCarryOver:
    "whether an agent's [worktree](worktrees.md) includes the uncommitted changes of its folder",
  worktreeSetup:
    'whether an agent waits for the [set-up of its worktree](environments.md) (`wait`), or starts `beside` it',
  verification:
    'whether [changes are verified](verification.md) after a run that changed files: `off`, `ask` or `always`',
  sendFailedChecks:
    'how often failed checks of a [pull request](pull-requests.md) go to its agent by themselves, 0 (never) to 10',
  modelTitles:
    'whether the cheapest model of the provider names new conversations, with one small request after the first message. Without it, or if the request fails, the first sentence of the message is the title. A title that you typed always stays',
  resumeAfterRestart:
    'whether agents that wait for a usage limit resume by themselves after a restart of the program; see [limits.md](limits.md)',
  natsUrl:
    'the NATS server of remote workers: `nats://host:4222` or `tls://host:4222`; empty: none. See [remote-workers.md](remote-workers.md)',
  natsCredentials: 'the absolute path of the credentials file for that server; empty: none',
  natsCa: "the absolute path of its certificate authority; empty: the system's",
  natsRetentionDays: 'days for which that server keeps jobs, messages and files, 1 to 365',
  natsFileMegabytes: 'megabytes of files, of all jobs together, at that server; at least 16',
  updateUrl:
    'the https address of newer versions, for `troupe update` and the daily check of the window; empty: none. See [install.md](install.md#updates)',
  updateKey: 'the public key that signs them; without it nothing is looked for',
  rehearsalPace: 'the pace of a rehearsal in the window: `readable`, `faster` (four times that) or `instant`',
  access:
    '`api` (a key), `rehearsal` (a script, no key), `none`. Change it in the window, which stores the key elsewhere',
  baseUrl: "another server with the Messages API; empty: Anthropic's",
  trustedFolders: 'folders that you trust',
  bypassFolders: 'folders where bypassPermissions may be chosen',
  recentFolders: 'maintained by the program',
  stageLayout: '`focus`, `columns` or `grid`',
  whenClosed:
    'closing a window while agents of its folder work, or the last window while any work: `ask`, `keep-running` (reopen from the tray) or `stop`',
  editor:
    'the editor that opens a file at a line: `code`, `zed`, `subl` …; `auto`: from `$VISUAL` and `$EDITOR`',
  statusLine: '`{"command": "…"}`; see [status-line.md](status-line.md)',
  changesDays: 'days for which the former content of changed files is kept; see [changes.md](changes.md)',
  changesMegabytes: 'its maximum size; the oldest conversations lose theirs first',
  sandbox: 'the sandbox for commands: `{"enabled": true, …}`; see [sandbox.md](sandbox.md)',
  commandVariables:
    'which exported variables [reach commands](#variables-of-commands): `{"pass": ["NPM_TOKEN"], "withhold": ["PROD_*"]}`',
  plugins: 'folders with agents and skills: `{"path": "…", "enabled": true}`; see [agents.md](agents.md)',
}
