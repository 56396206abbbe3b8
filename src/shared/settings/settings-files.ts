/** The settings that people have in files which other programs share: `.claude/settings.json` and its kin. */
import { z } from 'zod'
import { efforts } from '../models/effort.ts'
import { permissionModes } from '../permissions/permission-modes.ts'
import type { SettingsSource } from './settings-layers.ts'

export interface FileSetting {
  readonly type: z.ZodType
  /** The files that count. */
  readonly files: readonly SettingsSource[]
  /** One line of markdown, relative to docs/using. */
  readonly meaning: string
}

const all: readonly SettingsSource[] = ['managed', 'command-line', 'local', 'project', 'own', 'user']
const usersOwn: readonly SettingsSource[] = ['managed', 'own', 'user']
const rules = z.array(z.string())

export const fileSettings = {
  permissions: {
    type: z.object({
      deny: rules.optional(),
      ask: rules.optional(),
      allow: rules.optional(),
      additionalDirectories: z.array(z.string()).optional(),
      defaultMode: z.enum(permissionModes).optional(),
    }),
    files: all,
    meaning:
      'rules, additional folders and the mode of new conversations; see [permissions.md](permissions.md#rules). A project’s file may only deny and ask, a local file that git tracks too; `defaultMode` counts only from your own files',
  },
  env: {
    type: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    files: usersOwn,
    meaning:
      'variables for [commands](#variables-of-commands) and hooks, which count before exported ones. `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` and others that Troupe reads count as if they were in its environment, which counts first; keys do not reach commands. Read at the start',
  },
  model: {
    type: z.string(),
    files: usersOwn,
    meaning: 'the model of new conversations',
  },
  apiKeyHelper: {
    type: z.string(),
    files: usersOwn,
    meaning:
      'a shell command that prints the API key, where the environment has none. It runs at most every 5 minutes and after the API refused the key, for at most 20 s. Read at the start',
  },
  statusLine: {
    type: z.object({ type: z.string().optional(), command: z.string() }).nullable(),
    files: usersOwn,
    meaning: 'the command of the status line; see [status-line.md](status-line.md)',
  },
  hooks: {
    type: z.record(z.string(), z.array(z.looseObject({}))),
    files: ['managed', 'local', 'project', 'own', 'user'],
    meaning: 'commands at fixed points of an agent. Those of a folder run only after you approved them',
  },
  disableAllHooks: {
    type: z.boolean(),
    files: ['managed', 'local', 'project', 'own', 'user'],
    meaning: 'turns all hooks off',
  },
  mcpServers: {
    type: z.record(z.string(), z.looseObject({})),
    files: ['managed', 'command-line', 'own', 'user'],
    meaning: 'MCP servers by name. A project has them in `.mcp.json`',
  },
  worktree: {
    type: z.object({
      baseRef: z.enum(['fresh', 'head']).optional(),
      sparsePaths: z.array(z.string()).optional(),
    }),
    files: all,
    meaning:
      'where [worktrees](worktrees.md#the-start-of-a-worktree) start, and which folders they have. `symlinkDirectories` has no effect: what a set-up made is [copied](environments.md#ready-at-once)',
  },
  language: { type: z.string(), files: all, meaning: 'the language of answers: `Japanese`' },
  outputStyle: {
    type: z.string(),
    files: all,
    meaning: 'the name of the main agent’s [output style](#output-styles)',
  },
  attribution: {
    type: z.object({ commit: z.string().optional(), pr: z.string().optional() }),
    files: usersOwn,
    meaning:
      'what agents add to commit messages and pull requests; an empty text: nothing. `includeCoAuthoredBy: false` is read as two empty texts',
  },
  includeCoAuthoredBy: { type: z.boolean(), files: usersOwn, meaning: 'the older form of `attribution`' },
  effortLevel: {
    type: z.enum(efforts),
    files: ['managed', 'user'],
    meaning: 'as `effort`, in the files that other programs share',
  },
  alwaysThinkingEnabled: {
    type: z.boolean(),
    files: ['managed', 'user'],
    meaning: 'as `thinking`, in the files that other programs share',
  },
  enableAllProjectMcpServers: {
    type: z.boolean(),
    files: usersOwn,
    meaning: 'whether the servers of `.mcp.json` start without a question in folders that you trust',
  },
  enabledMcpjsonServers: {
    type: rules,
    files: usersOwn,
    meaning: 'the same for some servers, by name',
  },
  disabledMcpjsonServers: {
    type: rules,
    files: all,
    meaning: 'servers of `.mcp.json` that are off',
  },
  enabledPlugins: {
    type: z.record(z.string(), z.boolean()),
    files: usersOwn,
    meaning: 'installed plugins by `name@marketplace`; see [plugins.md](plugins.md)',
  },
} as const satisfies Readonly<Record<string, FileSetting>>

export function isFileSetting(key: string): key is keyof typeof fileSettings {
  return Object.hasOwn(fileSettings, key)
}
