/** The settings this program writes: `<data folder>/settings.json`. Unknown keys in the file are kept. */
import { z } from 'zod'
import { permissionMode } from './agent-event.ts'

export const access = z.discriminatedUnion('kind', [
  /** The scripted director on loopback: no key, no model. */
  z.object({ kind: z.literal('rehearsal') }),
  /** A key in the system's key store or in `ANTHROPIC_API_KEY`. */
  z.object({ kind: z.literal('api') }),
  z.object({ kind: z.literal('none') }),
])

export const settings = z.object({
  theme: z.enum(['system', 'dark', 'light']).catch('system'),
  /** Percent of the normal text size. */
  textSize: z.number().int().min(80).max(150).catch(100),
  /** An alias or an id; what new conversations start with. */
  model: z.string().catch('sonnet'),
  permissionMode: permissionMode.catch('default'),
  /** Agents that run at once in a conversation. */
  maxParallelAgents: z.number().int().min(1).max(100).catch(10),
  /** Agents in all in a conversation. */
  maxAgents: z.number().int().min(1).max(1000).catch(100),
  access: access.catch({ kind: 'none' }),
  /** For any server that speaks the Messages API; empty: Anthropic's. */
  baseUrl: z.string().catch(''),
  /** Other ids for haiku, sonnet, opus, fable. */
  modelAliases: z.record(z.string(), z.string()).catch({}),
  recentFolders: z.array(z.string()).catch([]),
  trustedFolders: z.array(z.string()).catch([]),
  /** Folders in which bypassPermissions may be chosen. */
  bypassFolders: z.array(z.string()).catch([]),
  stageLayout: z.enum(['focus', 'columns', 'grid']).catch('grid'),
})
export type Settings = z.infer<typeof settings>

export const defaultSettings: Settings = settings.parse({})
