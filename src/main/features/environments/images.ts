/**
 * The file systems of images, below `images/<id>` in the data folder: `root` with the files, `image.json` with the rest. A
 * container engine (Podman or Docker) pulls or builds the image and hands over its files; no container is ever started. The
 * commands of a worktree see these files, read-only, in place of this machine's, in the sandbox.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { appendFile, chmod, mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type EnvironmentImage, imageText } from '../../../shared/environments/environment.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { definitionDigest } from '../../platform/approvals/approvals.ts'
import { diskFailure } from '../../platform/system/disk-failure.ts'
import { findOnPath } from '../../platform/system/find-on-path.ts'

export interface PreparedImage {
  readonly id: string
  /** The folder with its files. Absolute. */
  readonly root: string
  readonly variables: Readonly<Record<string, string>>
}

export interface Images {
  /**
   * Makes the files of an image ready. Fails with `no-engine`, `image` (the engine's last line) or `io`.
   * @param its.project the user's checkout: what an image is built from
   */
  prepare(
    image: EnvironmentImage,
    its: { readonly project: string; readonly onLine: (text: string) => void; readonly signal: AbortSignal },
  ): Promise<Result<PreparedImage>>
  /** Null: it is not there any more. */
  read(id: string): PreparedImage | null
}

interface ImagesOptions {
  readonly dataFolder: string
  /** Of the user's own commands: the engine finds its settings and its service with it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly now: () => number
}

const ENGINES = ['podman', 'docker'] as const
/** A container that lends its files. One of a program that was killed is removed by the next. */
const LABEL = 'troupe=files'
/** ms that the files of an image are kept after their last use. */
const KEPT = 30 * 24 * 3_600_000

const stored = z.object({ variables: z.record(z.string(), z.string()) })
const inspected = z.array(
  z.looseObject({
    Id: z.string().min(12),
    Config: z
      .looseObject({
        Env: z
          .array(z.string())
          .nullish()
          .transform((env) => env ?? []),
      })
      .nullish(),
  }),
)

export function createImages({ dataFolder, environment, now }: ImagesOptions): Images {
  const folder = join(dataFolder, 'images')

  function read(id: string): PreparedImage | null {
    const file = join(folder, id, 'image.json')
    if (!/^[0-9a-f]{12,64}(-[0-9a-f]+)?$/.test(id) || !existsSync(file)) return null
    const parsed = stored.safeParse(jsonOrUndefined(readFileSync(file, 'utf8')))
    return parsed.success ? { id, root: join(folder, id, 'root'), ...parsed.data } : null
  }

  async function prepare(
    image: EnvironmentImage,
    { project, onLine, signal }: Parameters<Images['prepare']>[1],
  ): Promise<Result<PreparedImage>> {
    const path = environment['PATH'] ?? ''
    const engine = ENGINES.find((name) => findOnPath(name, path) !== null)
    if (engine === undefined)
      return fail({
        type: 'no-engine',
        message: `The image ${imageText(image)} needs Podman or Docker, and neither is installed. Install one, or skip the set-up to work without the image.`,
      })
    const call = (args: readonly string[], quiet = true) =>
      run([engine, ...args], { environment, cwd: project, signal, onLine: quiet ? () => undefined : onLine })
    const left = await call(['ps', '--all', '--quiet', '--filter', `label=${LABEL}`])
    if (!left.ok) return left
    for (const container of left.value.split('\n').filter((line) => line !== ''))
      await call(['rm', '--force', container])
    const name = await nameOf(image, project, call)
    if (!name.ok) return name
    const text = await call(['image', 'inspect', name.value])
    if (!text.ok) return text
    const found = inspected.safeParse(jsonOrUndefined(text.value))
    const [facts] = found.success ? found.data : []
    if (facts === undefined)
      return fail({ type: 'image', message: `${engine} said nothing about the image ${name.value}.` })
    const variables = {
      ...Object.fromEntries((facts.Config?.Env ?? []).map(pairOf)),
      ...image.variables,
    }
    const id = `${facts.Id.replace(/^sha256:/, '')}${Object.keys(image.variables).length === 0 ? '' : `-${shortDigest(image.variables)}`}`
    const known = read(id)
    if (known !== null) {
      await used(join(folder, id))
      return ok(known)
    }
    onLine(`Unpacking the files of ${imageText(image)}`)
    const unpacked = await unpack(name.value, { id, variables, engine, call, signal, project })
    await clean()
    return unpacked
  }

  /** Builds or pulls it. @returns what the engine calls it */
  async function nameOf(
    { name, build }: EnvironmentImage,
    project: string,
    call: (args: readonly string[], quiet?: boolean) => Promise<Result<string>>,
  ): Promise<Result<string>> {
    if (build === null) {
      const has = await call(['image', 'inspect', name ?? ''])
      if (!has.ok) {
        const pulled = await call(['pull', name ?? ''], false)
        if (!pulled.ok) return pulled
      }
      return ok(name ?? '')
    }
    const tag = `troupe-${shortDigest({ ...build, project })}`
    const target = build.target === null ? [] : ['--target', build.target]
    const args = Object.entries(build.args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`])
    const built = await call(
      ['build', '--tag', tag, '--file', build.file, ...target, ...args, build.context],
      false,
    )
    return built.ok ? ok(tag) : built
  }

  /** The folder of an image is whole: it gets its name when all of it is there. */
  async function unpack(
    name: string,
    its: {
      readonly id: string
      readonly variables: Readonly<Record<string, string>>
      readonly engine: string
      readonly call: (args: readonly string[]) => Promise<Result<string>>
      readonly signal: AbortSignal
      readonly project: string
    },
  ): Promise<Result<PreparedImage>> {
    const { id, variables, engine, call, signal } = its
    // Without a command, an engine refuses images that name none; this one never runs.
    const made = await call(['create', '--label', LABEL, name, 'true'])
    if (!made.ok) return made
    const container = made.value.split('\n').at(-1) ?? ''
    const draft = join(folder, `.${id.slice(0, 12)}-${process.pid}`)
    const root = join(draft, 'root')
    try {
      await remove(draft)
      await mkdir(root, { recursive: true, mode: 0o700 })
      // Podman can't write to the pipes that Node makes.
      const tar = join(draft, 'files.tar')
      const exported = await call(['export', '--output', tar, container])
      if (!exported.ok) return exported
      // Only root makes devices, and the sandbox has its own.
      const rights = ['--no-same-owner', '--mode=u+rwX', '--exclude=dev/*', '--exclude=./dev/*']
      const files = await run(['tar', '-x', '-f', tar, '-C', root, ...rights], {
        ...{ environment, cwd: its.project, signal },
        onLine: () => undefined,
      })
      if (!files.ok) return files
      await rm(tar)
      if (!['bin/bash', 'usr/bin/bash'].some((path) => existsSync(join(root, path))))
        return fail({
          type: 'image',
          message: `The image ${name} has no bash, with which commands run. Use an image that has it, or install it in its Dockerfile.`,
        })
      await nameUser(root)
      await writeFile(join(draft, 'image.json'), JSON.stringify({ variables }))
      await rename(draft, join(folder, id)).catch((thrown: NodeJS.ErrnoException) => {
        // Another program was faster.
        if (thrown.code !== 'ENOTEMPTY' && thrown.code !== 'EEXIST') throw thrown
      })
      const image = read(id)
      return image === null
        ? fail({ type: 'io', message: `The files of the image ${name} are not whole. Try again.` })
        : ok(image)
    } catch (thrown) {
      return fail(diskFailure(thrown, `The files of the image ${name} could not be unpacked`, root))
    } finally {
      await remove(draft)
      await run([engine, 'rm', '--force', container], {
        ...{ environment, cwd: its.project, onLine: () => undefined },
        signal: new AbortController().signal,
      })
    }
  }

  /** Removes what nothing has used for long, and the drafts of programs that were killed. */
  async function clean(): Promise<void> {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name)
      const age = now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now())
      if (age > (name.startsWith('.') ? KEPT / 30 : KEPT)) await remove(path)
    }
  }

  const used = (path: string) => utimes(path, now() / 1000, now() / 1000).catch(() => undefined)
  return { prepare, read }
}

const shortDigest = (value: unknown): string => definitionDigest(value).slice(0, 12)

function pairOf(line: string): readonly [string, string] {
  const at = line.indexOf('=')
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
}

/** The user has a name in the image, which some programs ask for. */
async function nameUser(root: string): Promise<void> {
  const { uid, gid, username, homedir } = userInfo()
  const file = join(root, 'etc/passwd')
  await mkdir(join(root, 'etc'), { recursive: true })
  const known = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (known.split('\n').some((line) => line.split(':')[2] === String(uid))) return
  const line = `${username}:x:${uid}:${gid}::${homedir}:/bin/bash`
  await appendFile(file, known === '' || known.endsWith('\n') ? `${line}\n` : `\n${line}\n`)
}

/** Also where an image has folders that nobody may write. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(async () => {
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o700).catch(() => undefined)
    await rm(path, { recursive: true, force: true })
  })
}

interface RunOptions {
  readonly environment: ImagesOptions['environment']
  readonly cwd: string
  readonly signal: AbortSignal
  readonly onLine: (text: string) => void
}

/** @returns what it wrote to its standard output. Fails with `image` and the last line of its errors */
function run(
  [program = '', ...args]: readonly string[],
  { environment, cwd, signal, onLine }: RunOptions,
): Promise<Result<string>> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...environment },
      signal,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    let last = ''
    const lines = (chunk: Buffer) => {
      for (const line of chunk.toString('utf8').split(/[\r\n]+/)) {
        if (line.trim() === '') continue
        last = line.trim()
        onLine(line)
      }
    }
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
      lines(chunk)
    })
    child.stderr.on('data', lines)
    child.once('error', ({ message }) => resolve(failed(program, args, signal.aborted ? STOPPED : message)))
    child.once('close', (code) =>
      resolve(code === 0 ? ok(text.trim()) : failed(program, args, signal.aborted ? STOPPED : last)),
    )
  })
}

const STOPPED = 'it was stopped.'

const failed = (program: string, [verb = '']: readonly string[], reason: string) =>
  fail({
    type: 'image',
    message: `${program} ${verb} failed: ${reason === '' ? 'it did not say why.' : reason}`,
  })
