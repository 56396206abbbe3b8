/**
 * Newer versions of this program, for `troupe update` and for the window: looks for one at the address of the settings,
 * fetches its package, and installs it or says how. A release is a folder of files with `SHA256SUMS`, and
 * `SHA256SUMS.sig`, its signature. Nothing counts that the key of the settings did not sign.
 */
import { spawn } from 'node:child_process'
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isNewer } from '../../../shared/external-agents/known-program.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { UpdateWay } from '../../../shared/updates/contract.ts'
import { EXIT, failed, jsonLine, type Printing } from '../../platform/command-line/terminal.ts'
import { findOnPath } from '../../platform/system/find-on-path.ts'

/** The settings `updateUrl` and `updateKey`. */
export interface ReleaseSource {
  /** `https:`, or a server of this machine. */
  readonly url: string
  /** The public key (Ed25519), as base64 of its DER form. */
  readonly key: string
}

/** How this program was installed; `other`: its user fetches and unpacks a new version by hand. */
type InstalledAs = 'deb' | 'npm' | 'checkout' | 'other'

interface Release {
  /** "1.2.3" */
  readonly version: string
  /** The package for this machine; null: the release has none that this program can fetch. */
  readonly file: SignedFile | null
  /** Markdown. */
  readonly notes: SignedFile | null
}

interface SignedFile {
  readonly name: string
  readonly sha256: string
}

/** What the address has. */
interface Update extends Pick<Release, 'version' | 'file'> {
  /** Than this program. */
  readonly isNewer: boolean
  readonly notes: string | null
  readonly way: UpdateWay
}

const SUMS = 'SHA256SUMS'
const LARGEST_TEXT = 100_000
const LARGEST_FILE = 1_000_000_000
/** ms for the checksums, and for a package. */
const ANSWER_LIMIT = 30_000
const FETCH_LIMIT = 30 * 60_000

/** Processors in the names of Debian's packages. */
const DEBIAN: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

export interface UpdateRoot {
  readonly dataFolder: string
  readonly programFolder: string
  readonly source: ReleaseSource
  /** Of this program. */
  readonly version: string
  /** Of the programs that install. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly isRoot: boolean
  /** What gives a program the rights of root: on a terminal, or with a window that asks for the password. */
  readonly elevate: 'sudo' | 'pkexec'
}

interface UpdateOptions {
  readonly check: boolean
  readonly install: boolean
  readonly json: boolean
}

/** `troupe update`. @returns 0, also if there is nothing newer; 1 after a failure */
export async function updateCommand(
  { check, install, json }: UpdateOptions,
  root: UpdateRoot & Printing,
): Promise<number> {
  const { source, version, output } = root
  const tell = (text: string, more: { newest: string; path?: string; command?: string }) => {
    const { newest, path = null, command = null } = more
    output.write(json ? jsonLine({ version, newest, file: path, install: command }) : `${text}\n`)
    return EXIT.done
  }
  const found = await findUpdate(root)
  if (!found.ok) return failed(root, found.failure.message)
  const { version: newest, file, way } = found.value
  if (!found.value.isNewer) return tell(`Troupe ${version} is the newest version.`, { newest })
  const news = `Troupe ${newest} is there; this is ${version}.`
  if (check) return tell(news, { newest })
  if (way.kind === 'command' && file === null)
    return tell(`${news} To install it:\n  ${way.command}`, { newest, command: way.command })
  if (file === null) return tell(`${news} Fetch the package for this system from ${source.url}`, { newest })
  if (install) {
    const installed = await installUpdate(root, { run: runWith('terminal', root) })
    if (!installed.ok) return failed(root, installed.failure.message)
    return tell(`Troupe ${newest} is installed; this was ${version}.`, { newest })
  }
  const fetched = await fetchRelease(root, file)
  if (!fetched.ok) return failed(root, fetched.failure.message)
  const command = commandFor(root, fetched.value)
  return tell(`${news} Its signature is right. To install it:\n  ${command}`, {
    ...{ newest, path: fetched.value, command },
  })
}

/** Asks the address of the settings. Fails with `settings`, `unreachable` or `not-signed`. */
export async function findUpdate(root: UpdateRoot): Promise<Result<Update>> {
  const { source, version, programFolder } = root
  const usable = checkSource(source)
  if (!usable.ok) return usable
  const as = installedAs(programFolder)
  const found = await findRelease(source, { as, processor: process.arch })
  if (!found.ok) return found
  const { version: newest, file, notes } = found.value
  const isNew = isNewer(newest, version)
  const text = notes !== null && isNew ? await fetchNotes(source.url, notes) : ok(null)
  if (!text.ok) return text
  return ok({ version: newest, file, isNewer: isNew, notes: text.value, way: wayOf(root, file) })
}

interface InstallOptions {
  /** Whether to go on, once the package is here and its signature is right. */
  readonly confirm?: (version: string) => Promise<boolean>
  /** Runs a program to its end. `why`: its last words; a `code` of null: it did not start. */
  readonly run: (argv: readonly string[]) => Promise<{ readonly code: number | null; readonly why: string }>
}

/**
 * Fetches the newest version, checks it and installs it. Fails as `findUpdate`, and with `not-there` or `not-installed`:
 * nothing is installed whose signature is wrong.
 */
export async function installUpdate(
  root: UpdateRoot,
  { confirm = async () => true, run }: InstallOptions,
): Promise<Result<'installed' | 'canceled'>> {
  const found = await findUpdate(root)
  if (!found.ok) return found
  const { version, file } = found.value
  if (!found.value.isNewer || file === null)
    return fail({
      type: 'not-there',
      message: `There is no newer package at ${root.source.url} that Troupe can install. Nothing was changed.`,
    })
  const fetched = await fetchRelease(root, file)
  if (!fetched.ok) return fetched
  if (!(await confirm(version))) return ok('canceled')
  const argv = argvFor(root, fetched.value)
  const { code, why } = await run(argv)
  if (code === 0) return ok('installed')
  if (code === DISMISSED && argv[0] === 'pkexec') return ok('canceled')
  return fail({
    type: 'not-installed',
    message: `Troupe ${version} was fetched and its signature is right, but it was not installed: ${why || `${argv.join(' ')} ended with code ${code}`}. Type this in a terminal: ${commandFor(root, fetched.value)}`,
  })
}

/** What pkexec answers when its question for the password was closed. */
const DISMISSED = 126

/** By the place of this program's files. */
function installedAs(programFolder: string): InstalledAs {
  if (programFolder === '/opt/troupe/resources') return 'deb'
  if (basename(dirname(programFolder)) === 'node_modules') return 'npm'
  return existsSync(join(programFolder, '.git')) ? 'checkout' : 'other'
}

function wayOf({ programFolder, source, ...root }: UpdateRoot, file: Release['file']): UpdateWay {
  const as = installedAs(programFolder)
  if (as === 'checkout') return { kind: 'command', command: `cd '${programFolder}' && git pull && npm start` }
  if (file === null) return { kind: 'fetch', url: source.url }
  const path = root.environment['PATH'] ?? ''
  const hasRights = as === 'npm' || root.isRoot || findOnPath(root.elevate, path) !== null
  return hasRights ? { kind: 'self' } : { kind: 'command', command: 'troupe update --install' }
}

/** For a user to type. */
const commandFor = ({ programFolder }: UpdateRoot, path: string): string =>
  installedAs(programFolder) === 'deb' ? `sudo apt install '${path}'` : `npm install --global '${path}'`

/** The same without a question. */
function argvFor({ programFolder, isRoot, elevate }: UpdateRoot, path: string): readonly string[] {
  if (installedAs(programFolder) !== 'deb') return ['npm', 'install', '--global', path]
  return [...(isRoot ? [] : [elevate]), 'apt-get', 'install', '--yes', path]
}

/** Runs what installs: on the terminal, where it may ask, or apart from it. Its output never mixes with that of a verb. */
export function runWith(
  place: 'terminal' | 'window',
  { environment }: Pick<UpdateRoot, 'environment'>,
): InstallOptions['run'] {
  return ([program = '', ...args]) =>
    new Promise((resolve) => {
      let said = ''
      const child = spawn(program, args, {
        env: { ...environment },
        stdio: place === 'terminal' ? ['inherit', 2, 'inherit'] : ['ignore', 'ignore', 'pipe'],
      })
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-1000)
      })
      child.once('error', ({ message }) => resolve({ code: null, why: message }))
      child.once('close', (code) => resolve({ code, why: said.trim().split('\n').at(-1) ?? '' }))
    })
}

/** Whether an address and a key can be used. Fails with `settings`, which says what they look like. */
export function checkSource({ url, key }: ReleaseSource): Result<void> {
  if (url === '')
    return fail({
      type: 'settings',
      message: 'No address for updates: set updateUrl and updateKey in settings.json in the data folder.',
    })
  const folder = folderAt(url)
  if (!folder.ok) return folder
  const usable = keyOf(key)
  return usable.ok ? ok(undefined) : usable
}

/**
 * Looks for the newest version at the address. Fails with `settings`, `unreachable` or `not-signed`.
 *
 * @param processor as `process.arch`
 */
async function findRelease(
  source: ReleaseSource,
  installed: { readonly as: InstalledAs; readonly processor: string },
): Promise<Result<Release>> {
  const key = keyOf(source.key)
  if (!key.ok) return key
  const sums = await fetchSmall(source.url, SUMS)
  if (!sums.ok) return sums
  const signature = await fetchSmall(source.url, `${SUMS}.sig`)
  if (!signature.ok) return signature
  if (!verify(null, sums.value, key.value, signature.value))
    return fail({
      type: 'not-signed',
      message: `${SUMS} at ${source.url} is not signed with the key of the setting updateKey, so nothing there is used.`,
    })
  return newest(sums.value.toString('utf8'), installed)
}

/** Fetches the package of a release into the data folder, where it has its name once its hash is right. @returns its path */
async function fetchRelease(
  { source: { url }, dataFolder }: UpdateRoot,
  { name, sha256 }: SignedFile,
): Promise<Result<string>> {
  const folder = join(dataFolder, 'updates')
  const path = join(folder, name)
  const part = `${path}.part`
  const answer = await get(url, name, FETCH_LIMIT)
  if (!answer.ok) return answer
  const hash = createHash('sha256')
  let size = 0
  const check = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      size += bytes.length
      hash.update(bytes)
      done(size > LARGEST_FILE ? new Error('it is larger than any package') : null, bytes)
    },
  })
  try {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await pipeline(answer.value, check, createWriteStream(part))
    if (hash.digest('hex') === sha256) {
      await rename(part, path)
      return ok(path)
    }
    await rm(part)
    return fail(forged(name, 'It was deleted, and nothing was changed.'))
  } catch (thrown) {
    await rm(part, { force: true })
    return fail({ type: 'unreachable', message: `${name} could not be fetched: ${messageOf(thrown)}` })
  }
}

async function fetchNotes(url: string, { name, sha256 }: SignedFile): Promise<Result<string>> {
  const notes = await fetchSmall(url, name)
  if (!notes.ok) return notes
  const isRight = createHash('sha256').update(notes.value).digest('hex') === sha256
  return isRight ? ok(notes.value.toString('utf8').trim()) : fail(forged(name, 'It is not shown.'))
}

const forged = (name: string, then: string) => ({
  type: 'not-signed',
  message: `${name} is not the file that the signed ${SUMS} names: its hash is another one. ${then}`,
})

/** The newest version in the list, by the package of npm, which every release has. */
function newest(
  sums: string,
  { as, processor }: { readonly as: InstalledAs; readonly processor: string },
): Result<Release> {
  const files = new Map(
    [...sums.matchAll(/^([0-9a-f]{64}) [ *](troupe[\w.-]+)$/gm)].map(([, sha256 = '', name = '']) => [
      name,
      sha256,
    ]),
  )
  const [version] = [...files.keys()]
    .flatMap((name) => /^troupe-(\d+\.\d+\.\d+)\.tgz$/.exec(name)?.[1] ?? [])
    .sort((one, other) => (isNewer(one, other) ? -1 : 1))
  if (version === undefined)
    return fail({ type: 'unreachable', message: `${SUMS} names no version of Troupe.` })
  const name = as === 'deb' ? `troupe_${version}_${DEBIAN[processor]}.deb` : `troupe-${version}.tgz`
  const signed = (named: string): SignedFile | null => {
    const sha256 = files.get(named)
    return sha256 === undefined ? null : { name: named, sha256 }
  }
  const isFetched = as === 'deb' || as === 'npm'
  return ok({ version, file: isFetched ? signed(name) : null, notes: signed(`troupe-${version}.md`) })
}

function keyOf(text: string): Result<KeyObject> {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    if (key.asymmetricKeyType === 'ed25519') return ok(key)
  } catch {
    // The same message: what it is instead helps nobody.
  }
  return fail({
    type: 'settings',
    message:
      'The setting updateKey is not a public key. It is what "openssl pkey -in KEY.pem -pubout -outform DER | base64" prints for an Ed25519 key.',
  })
}

async function fetchSmall(url: string, name: string): Promise<Result<Buffer>> {
  const answer = await get(url, name, ANSWER_LIMIT)
  if (!answer.ok) return answer
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of answer.value) {
      size += part.length
      if (size > LARGEST_TEXT)
        return fail({ type: 'unreachable', message: `${name} at ${url} is too large.` })
      parts.push(part)
    }
    return ok(Buffer.concat(parts))
  } catch (thrown) {
    return fail(unreachable(url, name, messageOf(thrown)))
  }
}

async function get(base: string, name: string, limit: number): Promise<Result<AsyncIterable<Uint8Array>>> {
  const folder = folderAt(base)
  if (!folder.ok) return folder
  try {
    // The signature tells what is right, so a redirect to another server does no harm.
    const answer = await fetch(new URL(name, folder.value), { signal: AbortSignal.timeout(limit) })
    if (answer.ok && answer.body !== null) return ok(answer.body as AsyncIterable<Uint8Array>)
    await answer.body?.cancel()
    return fail(unreachable(base, name, `the server answers ${answer.status}`))
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
    return fail(unreachable(base, name, messageOf(cause)))
  }
}

function folderAt(url: string): Result<URL> {
  const folder = URL.canParse(url) ? new URL(url.replace(/\/*$/, '/')) : null
  const isLocal = folder?.protocol === 'http:' && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(folder.hostname)
  if (folder !== null && (folder.protocol === 'https:' || isLocal)) return ok(folder)
  return fail({
    type: 'settings',
    message: 'The setting updateUrl wants an https address, such as https://example.com/troupe/.',
  })
}

const unreachable = (url: string, name: string, why: string) => ({
  type: 'unreachable',
  message: `${name} could not be read from ${url}: ${why}`,
})
