/**
 * A fresh Debian in a folder, in which packages are installed as on a new machine. Needs root. Programs in it see their own
 * mounts and processes and this machine's network; nothing of them is left after they ended.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { userCache } from '../runner/paths.mjs'
import { runProgram } from '../runner/run-program.mjs'
import { CannotContinue, say } from '../runner/say.mjs'
import { provideProgram } from '../runner/system-libraries.mjs'

const RELEASE = 'bookworm'
const ARCHIVE = join(userCache, `${RELEASE}.tar`)
const LIMIT = 900_000

/** An ordinary user, who exists in each root. */
export const USER = { name: 'ana', home: '/home/ana', id: '1000' }

/** A namespace of users can't be made below `chroot`, and Chromium's sandbox needs one: so the root itself is another. */
const ENTER = `set -e
mount --bind "$1" "$1"
cd "$1"
mkdir -p old
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs tmpfs tmp
pivot_root . old
cd /
umount -l /old
shift
exec "$@"`

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

export interface FreshRoot {
  /** Copies a file of this machine into the folder /packages. @returns its path there */
  add(file: string): string
  write(path: string, text: string, mode?: number): void
  /** Where a path of the root is on this machine. */
  at(path: string): string
  /** Runs a shell script to its end. Throws with its output if it fails. @returns its output */
  run(script: string, options?: RunOptions): Promise<string>
  /** Starts a shell script. Killing its process ends all that it started. */
  start(script: string, options?: RunOptions): ChildProcess
  remove(): void
}

interface RunOptions {
  /** Default: root. */
  readonly as?: typeof USER
}

/** Makes a root. @param packages names of Debian's packages that it has in addition to the smallest system */
export async function makeFreshRoot(packages: readonly string[]): Promise<FreshRoot> {
  await provideArchive()
  const folder = mkdtempSync(join(tmpdir(), 'troupe-root-'))
  const unpacked = await runProgram('tar', ['-xpf', ARCHIVE, '-C', folder, '--exclude=./dev/*'], {
    capture: true,
  })
  if (unpacked.code !== 0) throw new CannotContinue(`${ARCHIVE} could not be unpacked:\n${unpacked.output}`)
  const root: FreshRoot = {
    at: (path) => join(folder, path),
    add(file) {
      const path = `/packages/${file.split('/').at(-1)}`
      mkdirSync(join(folder, 'packages'), { recursive: true })
      copyFileSync(file, join(folder, path))
      return path
    },
    write(path, text, mode = 0o644) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text, { mode })
    },
    async run(script, options) {
      const [file, args] = entering(folder, script, options)
      const { code, output } = await runProgram(file, args, { capture: true, limit: LIMIT })
      if (code !== 0) throw new CannotContinue(`Exit code ${code}:\n${script}\n${output.slice(-4000)}`)
      return output
    },
    start: (script, options) =>
      spawn(...entering(folder, script, options), { stdio: ['ignore', 'pipe', 'pipe'] }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
  copyFileSync('/etc/resolv.conf', join(folder, 'etc/resolv.conf'))
  if (existsSync(CERTIFICATES)) {
    mkdirSync(join(folder, dirname(CERTIFICATES)), { recursive: true })
    copyFileSync(CERTIFICATES, join(folder, CERTIFICATES))
  }
  await root.run(`apt-get -q update
DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends ${packages.join(' ')}
useradd --create-home ${USER.name}`)
  return root
}

function entering(folder: string, script: string, { as }: RunOptions = {}): [string, string[]] {
  const user =
    as === undefined
      ? ['env', '-i', 'HOME=/root', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin']
      : [
          ...['setpriv', `--reuid=${as.id}`, `--regid=${as.id}`, '--init-groups', 'env', '-i'],
          ...[`HOME=${as.home}`, `USER=${as.name}`, 'PATH=/usr/local/bin:/usr/bin:/bin'],
          `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
        ]
  const apart = ['--mount', '--pid', '--fork', '--kill-child=KILL', '--propagation', 'private']
  return ['unshare', [...apart, 'sh', '-c', ENTER, 'enter', folder, ...user, 'sh', '-ec', script]]
}

/** The smallest Debian as an archive in the user's cache, made once. */
async function provideArchive(): Promise<void> {
  if (existsSync(ARCHIVE)) return
  if ((await provideProgram('mmdebstrap', 'which makes a fresh Debian')) === undefined)
    throw new CannotContinue(
      'mmdebstrap is missing, which makes a fresh Debian.',
      'apt-get install mmdebstrap',
    )
  say('Fetching a fresh Debian (170 MB), once')
  mkdirSync(userCache, { recursive: true })
  const part = join(userCache, `${RELEASE}-part.tar`)
  const args = ['--variant=minbase', RELEASE, part]
  const { code, output } = await runProgram('mmdebstrap', args, { capture: true, limit: LIMIT })
  if (code !== 0) throw new CannotContinue(`mmdebstrap failed with exit code ${code}:\n${output.trim()}`)
  const moved = await runProgram('mv', [part, ARCHIVE])
  if (moved.code !== 0) throw new CannotContinue(`${ARCHIVE} could not be written.`)
}
