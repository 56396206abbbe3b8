/** Runs the user's npm, without install scripts and without the settings of any project. */
import { realpath } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import { exists } from '../../../platform/system/exists.ts'
import { findOnPath } from '../../../platform/system/find-on-path.ts'
import { startGuarded } from '../../mcp/guarded-process.ts'

interface NpmRun {
  /** Has a package.json of its own, so that npm reads no project's settings. Absolute. */
  readonly cwd: string
  readonly signal: AbortSignal
  /** Called with each line that npm reports about its work. */
  readonly onLine?: (line: string) => void
}

export interface Npm {
  /**
   * Resolves with what npm printed. Fails with `canceled`, `no-npm`, or `npm`; the message has the reason, what to do, and
   * npm's last lines.
   */
  run(args: readonly string[], run: NpmRun): Promise<Result<string>>
}

interface NpmOptions {
  /** The variable PATH. */
  readonly path: string
  /** The path of the Node that runs this process, beside which npm often is. */
  readonly node: string
  /** The variables of npm: the basic ones, and those that say how the registry is reached. */
  readonly environment: Readonly<Record<string, string>>
  readonly platform: NodeJS.Platform
}

/** Characters of npm's output that are kept, and its last lines that are shown. */
const KEPT = 200_000
const SHOWN_LINES = 6

export function createNpm(options: NpmOptions): Npm {
  return {
    async run(args, { cwd, signal, onLine = () => {} }) {
      const found = await findNpm(options)
      if (found === null) return fail(NO_NPM)
      if (signal.aborted) return fail(CANCELED)
      const { path, environment } = options
      const { child, ended, end } = startGuarded({
        command: found.command,
        args: [...found.args, ...args, ...ALWAYS],
        cwd,
        environment: { ...environment, PATH: [found.folder, path].join(delimiter) },
      })
      signal.addEventListener('abort', end, { once: true })
      let output = ''
      let errors = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-KEPT)
      })
      createInterface({ input: child.stderr }).on('line', (line) => {
        errors = `${errors}${line}\n`.slice(-KEPT)
        onLine(line)
      })
      child.stdin.end()
      child.once('error', (error) => {
        errors += `${error.message}\n`
      })
      const code = await ended
      signal.removeEventListener('abort', end)
      if (signal.aborted) return fail(CANCELED)
      return code === 0 ? ok(output) : fail(explained(`${errors}${output}`))
    },
  }
}

/** Scripts of packages don't run; the rest keeps npm to this one task. */
const ALWAYS = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--fetch-retries=2',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
]

const CANCELED = { type: 'canceled', message: 'The installation was canceled. Nothing has changed.' }

const NO_NPM = {
  type: 'no-npm',
  message:
    'npm was not found. It comes with Node: install Node from https://nodejs.org, so that the command npm is on your PATH, and start Troupe again.',
}

interface FoundNpm {
  readonly command: string
  readonly args: readonly string[]
  /** With the Node that belongs to it. */
  readonly folder: string
}

/** On PATH, then beside Node. On Windows npm is a script of the command prompt, so its Node program is started instead. */
async function findNpm({ path, node, platform }: NpmOptions): Promise<FoundNpm | null> {
  if (platform === 'win32') {
    const onPath = findOnPath('node.exe', path)
    for (const program of [...(onPath === null ? [] : [onPath]), node]) {
      const script = join(dirname(program), 'node_modules', 'npm', 'bin', 'npm-cli.js')
      if (await exists(script)) return { command: program, args: [script], folder: dirname(program) }
    }
    return null
  }
  const file = findOnPath('npm', path) ?? findOnPath('npm', dirname(await realpath(node).catch(() => node)))
  return file === null ? null : { command: file, args: [], folder: dirname(file) }
}

/** What npm says, and what the user can do. */
function explained(text: string) {
  const lines = text
    .split('\n')
    .map((line) => makeVisible(line).trim())
    .filter(
      (line) => /^npm (err(or)?\b|ERR!)/.test(line) && !/complete log of this run|^npm \S+\s*$/.test(line),
    )
  const last = lines.slice(0, SHOWN_LINES).join('\n')
  const [why, todo] = REASONS.find(([pattern]) => pattern.test(text))?.slice(1) ?? [
    'npm failed',
    'Try again, or run the same command in a terminal to see more.',
  ]
  const said = last === '' ? '' : `\nnpm said:\n${last}`
  return { type: 'npm', message: `${why}. ${todo}${said}` }
}

const REASONS: readonly (readonly [RegExp, string, string])[] = [
  [/ENOSPC|EDQUOT/, 'The disk is full', 'Free some space, then try again.'],
  [/EROFS/, 'The disk is read-only', 'Make it writable again, then try again.'],
  [/\bE404\b|ETARGET/, 'The registry does not have this version', 'Update Troupe, or use another registry.'],
  [
    /\bE40[13]\b|ENEEDAUTH/,
    'The registry refused the request',
    'Check the registry and the login in your npm configuration, then try again.',
  ],
  [/EINTEGRITY/, 'A package arrived damaged or changed', 'Try again. If it happens again, don’t install it.'],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|EHOSTUNREACH/,
    'The registry could not be reached',
    'Check the network, the proxy and the registry in your npm configuration, then try again.',
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/,
    'The registry’s certificate was not accepted',
    'Set cafile in your npm configuration, then try again.',
  ],
  [
    /EACCES|EPERM/,
    'npm was not allowed to write',
    'Check who owns the folders that it names, then try again.',
  ],
]
