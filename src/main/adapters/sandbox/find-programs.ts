/** The programs that the sandbox needs, or why it can't run here. */
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fail, ok, type Result } from '../../../shared/result.ts'

export interface SandboxPrograms {
  readonly bwrap: string
  readonly socat: string
}

interface NoSandbox {
  readonly type: 'missing' | 'unsupported'
  readonly message: string
}

interface FindOptions {
  readonly environment: Readonly<Record<string, string>>
}

/** What each program is a part of, and its package in Debian, Ubuntu and Fedora. */
const PACKAGES = { bwrap: 'bubblewrap', socat: 'socat' } as const

export async function findPrograms(
  { environment }: FindOptions,
  platform: NodeJS.Platform,
): Promise<Result<SandboxPrograms, NoSandbox>> {
  if (platform !== 'linux')
    return fail({ type: 'unsupported', message: 'Troupe has no sandbox for commands on this system yet.' })
  const [bwrap, socat] = [await onPath('bwrap', environment), await onPath('socat', environment)]
  const missing = [...(bwrap === null ? [PACKAGES.bwrap] : []), ...(socat === null ? [PACKAGES.socat] : [])]
  if (bwrap === null || socat === null)
    return fail({
      type: 'missing',
      message: `The sandbox for commands needs ${missing.join(' and ')}. Install ${missing.length > 1 ? 'them' : 'it'} (sudo apt install ${missing.join(' ')}) and restart Troupe.`,
    })
  return ok({ bwrap, socat })
}

async function onPath(name: string, { PATH = '' }: Readonly<Record<string, string>>): Promise<string | null> {
  for (const folder of PATH.split(delimiter).filter((each) => each.startsWith('/'))) {
    const path = join(folder, name)
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return path
  }
  return null
}
