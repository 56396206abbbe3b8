/**
 * Makes a fresh copy of the sample project, with its own history, so that users can try agents without risk
 * to their own files. Without git the copy is a plain folder.
 */
import { execFile } from 'node:child_process'
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'

interface SampleOptions {
  /** The program's folder `sample`. */
  readonly source: string
  /** Folders for the copy, best first: the user's documents, then the data folder. */
  readonly parents: readonly string[]
  /** Git's environment. Holds no key. */
  readonly environment: NodeJS.ProcessEnv
  /** ms since the epoch. The history ends shortly before. */
  readonly now: () => number
}

const DAY = 24 * 60 * 60 * 1000

/** @returns the new folder. Fails with `no-sample`. */
export async function copySample(options: SampleOptions): Promise<Result<string>> {
  try {
    const history = sampleHistory.parse(
      JSON.parse(await readFile(join(options.source, 'history.json'), 'utf8')),
    )
    const folder = await makeFolder(options.parents)
    const git = await startHistory(folder, options)
    for (const { message, daysAgo, files } of history) {
      for (const [target, source] of Object.entries(files)) {
        const path = join(folder, target)
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, await readFile(join(options.source, source)))
      }
      await git?.commit(message, options.now() - daysAgo * DAY)
    }
    return ok(folder)
  } catch (error) {
    return fail({
      type: 'no-sample',
      message: `The sample project could not be copied: ${sentence(messageOf(error))} Check that the disk has space, or open one of your own folders.`,
    })
  }
}

/** Creates the first `Troupe sample N` that does not exist. */
async function makeFolder(parents: readonly string[]): Promise<string> {
  let problem: unknown = new Error('there is no folder to put it in')
  for (const parent of parents) {
    if (!(await exists(parent))) continue
    for (let number = 1; number < 1000; number++) {
      const folder = join(parent, `Troupe sample ${number}`)
      try {
        await mkdir(folder)
        return folder
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') continue
        problem = error
        break
      }
    }
  }
  throw problem
}

interface History {
  commit(message: string, at: number): Promise<void>
}

/** Null without git. */
async function startHistory(folder: string, { environment }: SampleOptions): Promise<History | null> {
  const git = (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<void> =>
    new Promise((resolve, reject) => {
      const env = { ...environment, ...identity, ...more }
      execFile('git', [...careful, ...args], { cwd: folder, env, windowsHide: true }, (error) =>
        error === null ? resolve() : reject(error),
      )
    })
  try {
    await git(['init', '--quiet', '--template=', '--initial-branch=main'])
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  return {
    async commit(message, at) {
      const date = new Date(at).toISOString()
      await git(['add', '--all'])
      await git(['commit', '--quiet', '--no-verify', '--message', message], {
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
      })
    },
  }
}

/** Excludes the user's own settings, hooks and signing keys. */
const careful = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'safe.bareRepository=explicit',
  '-c',
  'commit.gpgSign=false',
  '-c',
  'core.autocrlf=false',
]

const identity = {
  GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Tally developers',
  GIT_AUTHOR_EMAIL: 'tally@example.invalid',
  GIT_COMMITTER_NAME: 'Tally developers',
  GIT_COMMITTER_EMAIL: 'tally@example.invalid',
  GIT_TERMINAL_PROMPT: '0',
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** `sample/history.json`: the commits of the sample project, each a set of files. */
const sampleHistory = z.array(
  z.object({
    message: z.string().min(1),
    daysAgo: z.number().nonnegative(),
    /** By path in the project: the file in `sample` with its content. */
    files: z.record(z.string(), z.string()),
  }),
)
