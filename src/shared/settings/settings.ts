/** The settings this program writes: `<data folder>/settings.json`. Unknown keys in the file are kept. */
import { z } from 'zod'
import { permissionMode } from '../events/agent-event.ts'
import { programIds } from '../external-agents/known-program.ts'
import { historyProgram } from '../histories/history-schema.ts'
import { effort, thinking } from '../models/model-choice-schema.ts'
import { provider, providerName } from '../models/model-provider-schema.ts'
import { rehearsalPaces } from '../models/rehearsal-pace.ts'
import { commandVariables, defaultCommandVariables } from './command-variables.ts'
import { defaultLimits } from './limit-amounts.ts'
import { defaultSandboxSettings, defaultSandboxSettings as defaults } from './sandbox-settings.ts'
import { LARGEST_ZOOM, SMALLEST_ZOOM } from './zoom.ts'

const paths = z.array(z.string().min(1).max(4096)).max(200)

/** `example.com`, or `*.example.com` for its subdomains. */
const domain = z
  .string()
  .max(253)
  .regex(
    /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i,
    'no host: write example.com, or *.example.com for all below it',
  )

/** The setting `sandbox`, as settings files have it. */
export const sandboxSettings = z.object({
  enabled: z.boolean().default(defaults.enabled),
  /** Whether a command that can only touch its agent's folder runs without a question. */
  autoAllowBashIfSandboxed: z.boolean().default(defaults.autoAllowBashIfSandboxed),
  /** Whether an agent may ask to run a command outside the sandbox. */
  allowUnsandboxedCommands: z.boolean().default(defaults.allowUnsandboxedCommands),
  /** Commands that always run outside, by their first words: `docker`, `npm publish`. They are asked about. */
  excludedCommands: z.array(z.string().min(1).max(200)).max(200).default([]),
  network: z
    .object({
      allowedDomains: z.array(domain).max(500).default([]),
      /** Sockets of this machine that commands reach: absolute paths, `~/…`, or `$SSH_AUTH_SOCK`. */
      allowUnixSockets: paths.default([]),
    })
    .default(defaults.network),
  /** Absolute paths, or `~/…`. */
  filesystem: z
    .object({
      allowWrite: paths.default([]),
      /** Of the home, which commands do not see otherwise. */
      allowRead: paths.default([]),
      denyRead: paths.default([]),
    })
    .default(defaults.filesystem),
  /** Of each process of a command, and of the user's processes together. */
  limits: z
    .object({
      memoryMegabytes: z.number().int().min(64).max(1_000_000).default(defaults.limits.memoryMegabytes),
      processes: z.number().int().min(16).max(100_000).default(defaults.limits.processes),
    })
    .default(defaults.limits),
})

const access = z.discriminatedUnion('kind', [
  /** Rehearsal: scripted answers on loopback, without a key and a model. */
  z.object({ kind: z.literal('rehearsal') }),
  /** A key in the system's key store or in `ANTHROPIC_API_KEY`. */
  z.object({ kind: z.literal('api') }),
  z.object({ kind: z.literal('none') }),
])

/** Editors that can open a file at a line. Only these programs are ever started. */
export const editorNames = [
  'code',
  'code-insiders',
  'codium',
  'cursor',
  'windsurf',
  'zed',
  'subl',
  'idea',
  'webstorm',
  'pycharm',
  'kate',
  'gedit',
  'gvim',
  'emacs',
] as const

/** Maximum length in characters. */
const LONGEST_STATUS_COMMAND = 4096

const pluginEntry = z.object({
  /** The folder; absolute. */
  path: z.string().min(1).max(4096),
  enabled: z.boolean(),
  /** The digest of the content that the user approved. Without it, only agents and skills are used. */
  digest: z.string().optional(),
  /** Where a plugin from git comes from. */
  source: z.object({ url: z.string(), plugin: z.string().nullable(), commit: z.string() }).optional(),
})
export type PluginEntry = z.infer<typeof pluginEntry>

const values = {
  theme: z.enum(['system', 'dark', 'light']),
  /** The size of everything in the windows, in percent. */
  zoom: z.number().int().min(SMALLEST_ZOOM).max(LARGEST_ZOOM),
  /** The model of new conversations: an alias or an id. */
  model: z.string().min(1).max(200),
  /** The effort of new conversations; null: the model's default. */
  effort,
  /** Whether the model of new conversations thinks; null: the model's default. */
  thinking,
  permissionMode,
  /** Maximum agents running at once in a conversation. */
  maxParallelAgents: z.number().int().min(1).max(100),
  /** Maximum agents in a conversation. */
  maxAgents: z.number().int().min(1).max(1000),
  /** Maximum depth at which agents start agents of any type. */
  maxDepth: z.number().int().min(1).max(3),
  /** Whether a subagent without a type is a fork, which starts with the whole conversation. */
  forkSubagents: z.boolean(),
  /** Limits of a subagent, including all agents below it. Null: no limit. */
  agentTokens: z.number().int().min(1000).nullable(),
  agentUsd: z.number().positive().max(10_000).nullable(),
  agentMinutes: z.number().positive().max(10_000).nullable(),
  /** Limits of a background agent. */
  backgroundMinutes: z.number().positive().max(10_000).nullable(),
  /** Maximum agents that one agent starts. */
  agentSpawns: z.number().int().min(0).max(1000).nullable(),
  /** Limits of all agents of a conversation together. */
  conversationTokens: z.number().int().min(1000).nullable(),
  conversationUsd: z.number().positive().max(100_000).nullable(),
  /** Counted since the user's last message to the main agent. */
  conversationMinutes: z.number().positive().max(100_000).nullable(),
  /** Whether a new worktree includes uncommitted changes of the folder that it is created from. */
  worktreeCarryOver: z.boolean(),
  /** Whether an agent waits for the set-up of its worktree, or starts beside it. */
  worktreeSetup: z.enum(['wait', 'beside']),
  /** Whether changes are verified by the Verification agent: `ask` asks after each run that changed files. */
  verification: z.enum(['off', 'ask', 'always']),
  /** How often failed checks of a pull request go to its agent by themselves; 0: never. */
  sendFailedChecks: z.number().int().min(0).max(10),
  /** The MCP tools of subagents: all, those that their definitions list, or none. */
  mcpToolsForSubagents: z.enum(['all', 'listed', 'none']),
  /** The MCP servers that may ask a model while they answer a call, by name. */
  mcpSampling: z.array(z.string().min(1).max(200)).max(100),
  /** Whether an "allow" of the user's own hook answers a request that a rule could answer. */
  hooksMayAllow: z.boolean(),
  /** Whether new conversations are in coordinator mode. */
  coordinatorMode: z.boolean(),
  /** Whether a small model names new conversations after their first message. */
  modelTitles: z.boolean(),
  /** Whether agents that wait for a usage limit resume by themselves after the program was restarted. */
  resumeAfterRestart: z.boolean(),
  /** The NATS server that connects remote workers: `nats://host:4222`, `tls://host:4222`; empty: none. */
  natsUrl: z.string().max(500),
  /** The absolute paths of the NATS credentials and of the certificate authority; empty: none. */
  natsCredentials: z.string().max(4096),
  natsCa: z.string().max(4096),
  /** Days for which the NATS server keeps jobs, messages and files. */
  natsRetentionDays: z.number().int().min(1).max(365),
  /** Megabytes of files, for all jobs together, at the NATS server. */
  natsFileMegabytes: z.number().int().min(16).max(1_000_000),
  /** The address of newer versions of this program, and the public key (Ed25519) that signs them; empty: none. */
  updateUrl: z.string().max(500),
  updateKey: z.string().max(500),
  /** The effect of closing the window while agents are running. */
  whenClosed: z.enum(['ask', 'keep-running', 'stop']),
  access,
  /** The pace of the rehearsal's replies in the window. */
  rehearsalPace: z.enum(rehearsalPaces),
  /** The address of a server with the Messages API; empty: Anthropic's. */
  baseUrl: z.string().max(500),
  /** Replacement ids for haiku, sonnet, opus, fable. */
  modelAliases: z.record(z.string(), z.string()),
  /** Further servers with the Messages API, by name. */
  providers: z.record(providerName, provider),
  /** The agent that carries out new conversations, by name; null: Troupe’s own main agent. Not in coordinator mode. */
  mainAgent: z.string().min(1).max(200).nullable(),
  /** Whether a known external agent is an agent; missing: one that Troupe installed is, one on PATH is not. */
  programs: z.partialRecord(z.enum(programIds), z.boolean()),
  /** Whether Troupe reads the histories of other agent programs; missing: the user was not asked. */
  histories: z.partialRecord(historyProgram, z.boolean()),
  recentFolders: z.array(z.string()),
  trustedFolders: z.array(z.string()),
  /** Folders in which bypassPermissions is available. */
  bypassFolders: z.array(z.string()),
  stageLayout: z.enum(['focus', 'columns', 'grid']),
  /** The editor that opens a file at a line; `auto`: `$VISUAL` or `$EDITOR`, else the system's default program. */
  editor: z.enum(['auto', ...editorNames]),
  /** Plugin folders. The agents and skills of enabled plugins are available. */
  plugins: z.array(pluginEntry),
  /** The sandbox for the commands of agents, in the form of people's settings files. */
  sandbox: sandboxSettings,
  /** Which exported variables reach commands. */
  commandVariables,
  /** How long the former content of files that agents changed is kept, and its maximum size. */
  changesDays: z.number().int().min(1).max(3650),
  changesMegabytes: z.number().int().min(10).max(1_000_000),
  /** The shell command whose first line of output is the status line. Null: no status line. */
  statusLine: z.object({ command: z.string().max(LONGEST_STATUS_COMMAND) }).nullable(),
}

/** The settings in the file. An invalid value counts as its default. */
export const settings = z.object({
  theme: values.theme.catch('system'),
  zoom: values.zoom.catch(100),
  model: values.model.catch('sonnet'),
  effort: values.effort.catch(null),
  thinking: values.thinking.catch(null),
  permissionMode: values.permissionMode.catch('default'),
  maxParallelAgents: values.maxParallelAgents.catch(defaultLimits.maxParallelAgents),
  maxAgents: values.maxAgents.catch(defaultLimits.maxAgents),
  maxDepth: values.maxDepth.catch(defaultLimits.maxDepth),
  forkSubagents: values.forkSubagents.catch(false),
  agentTokens: values.agentTokens.catch(defaultLimits.agentTokens),
  agentUsd: values.agentUsd.catch(defaultLimits.agentUsd),
  agentMinutes: values.agentMinutes.catch(defaultLimits.agentMinutes),
  backgroundMinutes: values.backgroundMinutes.catch(defaultLimits.backgroundMinutes),
  agentSpawns: values.agentSpawns.catch(defaultLimits.agentSpawns),
  conversationTokens: values.conversationTokens.catch(defaultLimits.conversationTokens),
  conversationUsd: values.conversationUsd.catch(defaultLimits.conversationUsd),
  conversationMinutes: values.conversationMinutes.catch(defaultLimits.conversationMinutes),
  worktreeCarryOver: values.worktreeCarryOver.catch(false),
  worktreeSetup: values.worktreeSetup.catch('wait'),
  verification: values.verification.catch('off'),
  sendFailedChecks: values.sendFailedChecks.catch(0),
  mcpToolsForSubagents: values.mcpToolsForSubagents.catch('all'),
  mcpSampling: values.mcpSampling.catch([]),
  hooksMayAllow: values.hooksMayAllow.catch(false),
  coordinatorMode: values.coordinatorMode.catch(false),
  modelTitles: values.modelTitles.catch(true),
  resumeAfterRestart: values.resumeAfterRestart.catch(false),
  natsUrl: values.natsUrl.catch(''),
  natsCredentials: values.natsCredentials.catch(''),
  natsCa: values.natsCa.catch(''),
  natsRetentionDays: values.natsRetentionDays.catch(7),
  natsFileMegabytes: values.natsFileMegabytes.catch(256),
  updateUrl: values.updateUrl.catch(''),
  updateKey: values.updateKey.catch(''),
  whenClosed: values.whenClosed.catch('ask'),
  access: values.access.catch({ kind: 'none' }),
  rehearsalPace: values.rehearsalPace.catch('readable'),
  baseUrl: values.baseUrl.catch(''),
  modelAliases: values.modelAliases.catch({}),
  providers: values.providers.catch({}),
  mainAgent: values.mainAgent.catch(null),
  programs: values.programs.catch({}),
  histories: values.histories.catch({}),
  recentFolders: values.recentFolders.catch([]),
  trustedFolders: values.trustedFolders.catch([]),
  bypassFolders: values.bypassFolders.catch([]),
  stageLayout: values.stageLayout.catch('grid'),
  editor: values.editor.catch('auto'),
  plugins: values.plugins.catch([]),
  sandbox: values.sandbox.catch(defaultSandboxSettings),
  commandVariables: values.commandVariables.catch(defaultCommandVariables),
  changesDays: values.changesDays.catch(30),
  changesMegabytes: values.changesMegabytes.catch(2048),
  statusLine: values.statusLine.catch(null),
})
export type Settings = z.infer<typeof settings>

/** A change of some settings. An invalid value is refused, not replaced by its default. */
export const settingsPatch = z.object(values).partial().strict()
export type SettingsPatch = z.infer<typeof settingsPatch>

export const defaultSettings: Settings = settings.parse({})
