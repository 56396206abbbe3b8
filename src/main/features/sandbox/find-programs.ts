/** The programs that the sandbox needs, or why it can't run here. */
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
