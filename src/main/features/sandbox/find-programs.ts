/** The programs that the sandbox needs, or why it can't run here; and whether they are known to work. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'

export type SandboxPrograms =
  | {
      readonly kind: 'bubblewrap'
      readonly bwrap: string
      readonly socat: string
      /** Lets commands share a network. Null: each has its own. */
      readonly nsenter: string | null
    }
  /** A part of macOS. */
  | { readonly kind: 'seatbelt'; readonly sandboxExec: string }

interface NoSandbox {
  readonly type: 'missing' | 'unsupported'
  readonly message: string
  /** The command that installs what is missing. */
  readonly install?: string
}

interface FindOptions {
  /** Replaced in tests. */
  readonly sandboxExec?: string
  readonly environment: Readonly<Record<string, string>>
}

/** The only place where macOS has it; another one on the PATH would be somebody else's. */
const SANDBOX_EXEC = '/usr/bin/sandbox-exec'

/** What each program is a part of, and its package in Debian, Ubuntu and Fedora. */
const PACKAGES = { bwrap: 'bubblewrap', socat: 'socat' } as const

export async function findSandboxPrograms(
  { environment, sandboxExec = SANDBOX_EXEC }: FindOptions,
  platform: NodeJS.Platform,
): Promise<Result<SandboxPrograms, NoSandbox>> {
  if (platform === 'darwin') {
    if (await isProgram(sandboxExec)) return ok({ kind: 'seatbelt', sandboxExec })
    return fail({
      type: 'unsupported',
      message: `The sandbox for commands needs ${sandboxExec}, which this system does not have.`,
    })
  }
  if (platform !== 'linux')
    return fail({ type: 'unsupported', message: 'Troupe has no sandbox for commands on this system yet.' })
  const [bwrap, socat] = [await onPath('bwrap', environment), await onPath('socat', environment)]
  const missing = [...(bwrap === null ? [PACKAGES.bwrap] : []), ...(socat === null ? [PACKAGES.socat] : [])]
  if (bwrap === null || socat === null) {
    const install = `sudo apt install ${missing.join(' ')}`
    return fail({
      type: 'missing',
      message: `The sandbox for commands needs ${missing.join(' and ')}. Install ${missing.length > 1 ? 'them' : 'it'} (${install}) and restart Troupe.`,
      install,
    })
  }
  return ok({ kind: 'bubblewrap', bwrap, socat, nsenter: await onPath('nsenter', environment) })
}

async function onPath(name: string, { PATH = '' }: Readonly<Record<string, string>>): Promise<string | null> {
  for (const folder of PATH.split(delimiter).filter((each) => each.startsWith('/'))) {
    const path = join(folder, name)
    if (await isProgram(path)) return path
  }
  return null
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

// ---- whether they work -------------------------------------------------------------------------

/** What is known from an earlier start of Troupe since the machine started, so that not each start tries it. */
export interface KnownToWork {
  readonly isKnown: boolean
  keep(): void
  forget(): void
}

/** @param file of Troupe's data, which no command reads or writes */
export function knownToWork(file: string, programs: readonly string[]): KnownToWork {
  const now = [bootOfLinux(), process.getuid?.(), ...programs.map(versionOf)].join('\n')
  return {
    isKnown: textOf(file) === now,
    keep() {
      try {
        writeFileSync(file, now)
      } catch {
        // Then the next start tries it.
      }
    },
    forget: () => rmSync(file, { force: true }),
  }
}

/** Changes with each start of the machine. Where it can't be read, nothing is known. */
const bootOfLinux = (): string => textOf('/proc/sys/kernel/random/boot_id') ?? `unknown ${process.pid}`

function versionOf(program: string): string {
  const found = statSync(program, { throwIfNoEntry: false })
  return `${program} ${found?.ino} ${found?.size} ${found?.mtimeMs}`
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return null
  }
}
