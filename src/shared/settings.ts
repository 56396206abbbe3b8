/** The settings this program writes: `<data folder>/settings.json`. Unknown keys in the file are kept. */
import { z } from 'zod'
import { permissionMode } from './agent-event.ts'
import { defaultLimits } from './default-limits.ts'

export const access = z.discriminatedUnion('kind', [
  /** The scripted director on loopback: no key, no model. */
  z.object({ kind: z.literal('rehearsal') }),
  /** A key in the system's key store or in `ANTHROPIC_API_KEY`. */
  z.object({ kind: z.literal('api') }),
  z.object({ kind: z.literal('none') }),
])

/** Editors with a window that can be told a line. Only these names are ever started. */
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

/** Characters. */
const LONGEST_STATUS_COMMAND = 4096

const values = {
  theme: z.enum(['system', 'dark', 'light']),
  /** Percent of the normal text size. */
  textSize: z.number().int().min(80).max(150),
  /** An alias or an id; what new conversations start with. */
  model: z.string().min(1).max(200),
  permissionMode,
  /** Agents that run at once in a conversation. */
  maxParallelAgents: z.number().int().min(1).max(100),
  /** Agents in all in a conversation. */
  maxAgents: z.number().int().min(1).max(1000),
  /** How deep agents start agents of any type. */
  maxDepth: z.number().int().min(1).max(3),
  /** Whether a subagent without a type is a fork: it begins with the whole conversation. */
  forkSubagents: z.boolean(),
  /** What a subagent may spend, with all that it starts. Null: no limit. */
  agentTokens: z.number().int().min(1000).nullable(),
  agentUsd: z.number().positive().max(10_000).nullable(),
  agentMinutes: z.number().positive().max(10_000).nullable(),
  /** The same for one in the background. */
  backgroundMinutes: z.number().positive().max(10_000).nullable(),
  /** Agents that one agent starts. */
  agentSpawns: z.number().int().min(0).max(1000).nullable(),
  /** What all agents of a conversation may spend together. */
  conversationTokens: z.number().int().min(1000).nullable(),
  conversationUsd: z.number().positive().max(100_000).nullable(),
  /** Since the main agent was last spoken to. */
  conversationMinutes: z.number().positive().max(100_000).nullable(),
  /** Whether an agent's worktree begins with what is not committed in the folder it is made from. */
  worktreeCarryOver: z.boolean(),
  /** What closing the window means while agents work. */
  whenClosed: z.enum(['ask', 'keep-running', 'stop']),
  access,
  /** For any server that speaks the Messages API; empty: Anthropic's. */
  baseUrl: z.string().max(500),
  /** Other ids for haiku, sonnet, opus, fable. */
  modelAliases: z.record(z.string(), z.string()),
  recentFolders: z.array(z.string()),
  trustedFolders: z.array(z.string()),
  /** Folders in which bypassPermissions may be chosen. */
  bypassFolders: z.array(z.string()),
  stageLayout: z.enum(['focus', 'columns', 'grid']),
  /** What opens a file at a line; `auto`: what `$VISUAL` and `$EDITOR` say, else the system's program. */
  editor: z.enum(['auto', ...editorNames]),
  /** Plugin folders: their agents and skills are used where they are enabled. */
  plugins: z.array(z.object({ path: z.string().min(1).max(4096), enabled: z.boolean() })),
  /** What the bottom of the window shows: the first line that this shell command prints. Null: nothing runs. */
  statusLine: z.object({ command: z.string().max(LONGEST_STATUS_COMMAND) }).nullable(),
}

/** What is in the file: a value that is wrong there counts as its default. */
export const settings = z.object({
  theme: values.theme.catch('system'),
  textSize: values.textSize.catch(100),
  model: values.model.catch('sonnet'),
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
  whenClosed: values.whenClosed.catch('ask'),
  access: values.access.catch({ kind: 'none' }),
  baseUrl: values.baseUrl.catch(''),
  modelAliases: values.modelAliases.catch({}),
  recentFolders: values.recentFolders.catch([]),
  trustedFolders: values.trustedFolders.catch([]),
  bypassFolders: values.bypassFolders.catch([]),
  stageLayout: values.stageLayout.catch('grid'),
  editor: values.editor.catch('auto'),
  plugins: values.plugins.catch([]),
  statusLine: values.statusLine.catch(null),
})
export type Settings = z.infer<typeof settings>

/** A change of some settings: here a wrong value is refused, not replaced by a default. */
export const settingsPatch = z.object(values).partial().strict()
export type SettingsPatch = z.infer<typeof settingsPatch>

export const defaultSettings: Settings = settings.parse({})
