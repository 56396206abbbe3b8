/**
 * `troupe update`: looks for a newer version at the address of the settings, fetches its package, and prints the command that
 * installs it. A release is a folder of files with `SHA256SUMS`, and `SHA256SUMS.sig`, its signature. Nothing counts that the
 * key of the settings did not sign, and nothing is installed.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isNewer } from '../../../shared/external-agents/known-program.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { EXIT, failed, jsonLine, type Printing } from '../../platform/command-line/terminal.ts'

/** The settings `updateUrl` and `updateKey`. */
interface ReleaseSource {
  /** `https:`, or a server of this machine. */
  readonly url: string
  /** The public key (Ed25519), as base64 of its DER form. */
  readonly key: string
}

/** How this program was installed; `other`: its user fetches and unpacks a new version by hand. */
type InstalledAs = 'deb' | 'npm' | 'other'

interface Release {
  /** "1.2.3" */
  readonly version: string
  /** The package for this machine; null: the release has none that this program can fetch. */
  readonly file: { readonly name: string; readonly sha256: string } | null
}

const SUMS = 'SHA256SUMS'
const LARGEST_SUMS = 100_000
const LARGEST_FILE = 1_000_000_000
/** ms for the checksums, and for a package. */
const ANSWER_LIMIT = 30_000
const FETCH_LIMIT = 30 * 60_000

/** Processors in the names of Debian's packages. */
const DEBIAN: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

interface UpdateRoot extends Printing {
  readonly dataFolder: string
  readonly programFolder: string
  readonly source: ReleaseSource
  /** Of this program. */
  readonly version: string
}

/** @returns 0, also if there is nothing newer; 1 after a failure */
export async function updateCommand(
  { check, json }: { readonly check: boolean; readonly json: boolean },
  root: UpdateRoot,
): Promise<number> {
  const { source, version, output, programFolder } = root
  if (source.url === '')
    return failed(
      root,
      'No address for updates: set updateUrl and updateKey in settings.json in the data folder.',
    )
  const as = installedAs(programFolder)
  const found = await findRelease(source, { as, processor: process.arch })
  if (!found.ok) return failed(root, found.failure.message)
  const { version: newest, file } = found.value
  const tell = (text: string, path: string | null = null) => {
    const install = path === null ? null : installing(as, path)
    output.write(json ? jsonLine({ version, newest, file: path, install }) : `${text}\n`)
    return EXIT.done
  }
  if (!isNewer(newest, version)) return tell(`Troupe ${version} is the newest version.`)
  const news = `Troupe ${newest} is there; this is ${version}.`
  if (check) return tell(news)
  if (file === null) return tell(`${news} Fetch the package for this system from ${source.url}`)
  const fetched = await fetchRelease(source, file, join(root.dataFolder, 'updates'))
  if (!fetched.ok) return failed(root, fetched.failure.message)
  return tell(
    `${news} Its signature is right. To install it:\n  ${installing(as, fetched.value)}`,
    fetched.value,
  )
}

/** By the place of this program's files. */
function installedAs(programFolder: string): InstalledAs {
  if (programFolder === '/opt/troupe/resources') return 'deb'
  return basename(dirname(programFolder)) === 'node_modules' ? 'npm' : 'other'
}

const installing = (as: InstalledAs, path: string): string =>
  as === 'deb' ? `sudo apt install '${path}'` : `npm install --global '${path}'`

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

/** Fetches the package of a release into a folder, where it has its name once its hash is right. @returns its path */
async function fetchRelease(
  { url }: ReleaseSource,
  { name, sha256 }: NonNullable<Release['file']>,
  folder: string,
): Promise<Result<string>> {
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
    return fail({
      type: 'not-signed',
      message: `${name} is not the file that the signed ${SUMS} names: its hash is another one. It was deleted.`,
    })
  } catch (thrown) {
    await rm(part, { force: true })
    return fail({ type: 'unreachable', message: `${name} could not be fetched: ${messageOf(thrown)}` })
  }
}

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
  const sha256 = as === 'other' ? undefined : files.get(name)
  return ok({ version, file: sha256 === undefined ? null : { name, sha256 } })
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
      if (size > LARGEST_SUMS)
        return fail({ type: 'unreachable', message: `${name} at ${url} is too large.` })
      parts.push(part)
    }
    return ok(Buffer.concat(parts))
  } catch (thrown) {
    return fail(unreachable(url, name, messageOf(thrown)))
  }
}

async function get(base: string, name: string, limit: number): Promise<Result<AsyncIterable<Uint8Array>>> {
  const folder = URL.canParse(base) ? new URL(base.replace(/\/*$/, '/')) : null
  const isLocal = folder?.protocol === 'http:' && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(folder.hostname)
  if (folder === null || (folder.protocol !== 'https:' && !isLocal))
    return fail({
      type: 'settings',
      message: 'The setting updateUrl wants an https address, such as https://example.com/troupe/.',
    })
  try {
    // The signature tells what is right, so a redirect to another server does no harm.
    const answer = await fetch(new URL(name, folder), { signal: AbortSignal.timeout(limit) })
    if (answer.ok && answer.body !== null) return ok(answer.body as AsyncIterable<Uint8Array>)
    await answer.body?.cancel()
    return fail(unreachable(base, name, `the server answers ${answer.status}`))
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
    return fail(unreachable(base, name, messageOf(cause)))
  }
}

const unreachable = (url: string, name: string, why: string) => ({
  type: 'unreachable',
  message: `${name} could not be read from ${url}: ${why}`,
})
