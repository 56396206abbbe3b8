/**
 * External agents as they are published, for tests: Claude Code and opencode, with a scripted API instead of
 * their makers' servers, and a home folder of their own. `npm test` installs them (`scripts/runner`); where one is
 * missing, its tests are skipped and say so, and with CI=true they fail.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe } from 'vitest'
import type { ExternalAgentLaunch } from '../../../../../shared/agent-definition/agent-definition.ts'
import type { ForeignApi } from './foreign-api.ts'

const ROOT = join(import.meta.dirname, '../../../../../..')

export interface RealProgramPlace {
  readonly api: Pick<ForeignApi, 'url'>
  /** The program's home folder: settings, sessions. It exists. */
  readonly home: string
}

const CLAUDE = find('claude', 'node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js')
const OPENCODE = find('opencode', 'node_modules/opencode-linux-x64-baseline/bin/opencode')

/** `describe` for tests that start the real Claude Code. */
export const withClaude = CLAUDE === null ? describe.skip : describe

/** `describe` for tests that start the real opencode, on Linux x64. */
export const withOpencode = OPENCODE === null ? describe.skip : describe

/** Claude Code behind `claude-agent-acp`, for a definition's `program`. */
export function realClaude({ api, home }: RealProgramPlace): ExternalAgentLaunch {
  return {
    command: process.execPath,
    args: [CLAUDE ?? ''],
    env: {
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
    },
  }
}

/** Claude Code itself, which `claude-agent-acp` starts. */
export function realClaudeItself(place: RealProgramPlace): Pick<ExternalAgentLaunch, 'command' | 'env'> {
  const command = join(dirname(CLAUDE ?? ''), '../../../@anthropic-ai/claude-agent-sdk-linux-x64/claude')
  return { command, env: realClaude(place).env }
}

/** `opencode acp`, which asks before commands and changes of files, for a definition's `program`. */
export function realOpencode({ api, home }: RealProgramPlace): ExternalAgentLaunch {
  const config = {
    model: 'anthropic/claude-sonnet-4-5',
    small_model: 'anthropic/claude-haiku-4-5',
    enabled_providers: ['anthropic'],
    provider: { anthropic: { options: { baseURL: `${api.url}/v1`, apiKey: 'scripted' } } },
    permission: { bash: 'ask', edit: 'ask' },
    autoupdate: false,
    share: 'disabled',
  }
  pretendInstalled(join(home, 'config', 'opencode'))
  return {
    command: OPENCODE ?? '',
    args: ['acp'],
    env: {
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_DATA_HOME: join(home, 'data'),
      XDG_CACHE_HOME: join(home, 'cache'),
      XDG_STATE_HOME: join(home, 'state'),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
  }
}

/**
 * The text of a definition with this program. A file may hold no key, so the key is a variable that every user has: the
 * scripted API takes any.
 */
export function definitionOf(name: string, { command, args, env }: ExternalAgentLaunch): string {
  const given = Object.entries(env).map(([key, value]) => [key, key.endsWith('_KEY') ? `\${PATH}` : value])
  const fields = {
    name,
    description: 'An external agent.',
    backing: 'acp',
    command,
    args,
    env: Object.fromEntries(given),
  }
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return `---\n${lines.join('\n')}\n---\n\nYou are careful.\n`
}

/** opencode would install a package for plugins into its folder of settings before its first turn. */
function pretendInstalled(settings: string): void {
  mkdirSync(join(settings, 'node_modules'), { recursive: true })
  const lockfile = { packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } } }
  writeFileSync(join(settings, 'package-lock.json'), JSON.stringify(lockfile))
}

/** Where the runner has installed a program from its lockfile; null: nowhere. */
function find(name: string, file: string): string | null {
  const lockfile = readFileSync(join(ROOT, 'test', 'outside-programs', name, 'package-lock.json'))
  const hash = createHash('sha256').update(lockfile).digest('hex').slice(0, 16)
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'troupe-dev')
  const path = join(cache, 'outside-programs', `${name}-${hash}`, file)
  if (existsSync(path)) return path
  const missing = `The external agent ${name} is not installed; \`npm test\` installs it`
  if (process.env['CI']) throw new Error(`${missing}.`)
  process.stderr.write(`Skipped: ${missing}.\n`)
  return null
}
