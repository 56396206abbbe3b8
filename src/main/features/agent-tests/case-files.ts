/** The files of cases below a folder: `.claude/agent-tests/AGENT/NAME.yaml`. A file that is wrong hides no other one. */
import { copyFile, mkdir, readdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { agentSlug } from '../../../shared/agent-definition/agent-slug.ts'
import type { AgentCase, CaseProblem } from '../../../shared/agent-tests/agent-tests.ts'
import { CASES_FOLDER, caseFolderOf, firstCaseText } from '../../../shared/agent-tests/case-file.ts'
import { readCaseFile } from '../../../shared/agent-tests/read-case-file.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { editTextFile } from '../../platform/system/edit-text-file.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import { exists } from '../../platform/system/exists.ts'
import { isBelow, readPlainFile } from '../../platform/system/plain-text.ts'
import { leadsOut, realOf, staysIn } from '../definitions/agent-folders.ts'
import { digestOfCase } from './plan-run.ts'

export interface CaseFiles {
  /** @param agents the names of the catalog: the folder of a name that is no folder's name stands for it */
  list(folder: string, agents: readonly string[]): Promise<FoundCases>
  /** Null: a text to begin with. Fails with `not-found` or `unreadable`. */
  read(folder: string, file: string | null): Promise<Result<{ readonly text: string }>>
  /** Fails with `bad-path`, `exists` or `io`. A text with problems is answered with them, and not written. */
  save(
    folder: string,
    wanted: { readonly agent: string; readonly file: string | null; readonly text: string },
  ): Promise<Result<{ readonly file: string; readonly problems: readonly CaseProblem[] }>>
  /** Moves the file to the trash of the data folder. Fails with `not-found`, `bad-path` or `io`. */
  remove(folder: string, file: string): Promise<Result<void>>
}

interface FoundCases {
  readonly cases: readonly AgentCase[]
  readonly problems: readonly CaseProblem[]
}

const MOST_CASES = 1000

/** @param newKey a name that nothing in the trash has */
export function createCaseFiles(dataFolder: string, newKey: () => string): CaseFiles {
  return {
    async list(folder, agents) {
      const byFolder = new Map(agents.map((name) => [caseFolderOf(name).toLowerCase(), name]))
      const real = await realOf(folder)
      const found = await filesBelow(folder)
      const read = await Promise.all(
        found.slice(0, MOST_CASES).map(async (file) => {
          const content = await readPlainFile(join(folder, file), real)
          if (content.kind === 'unread')
            return { case: null, problems: [{ file, line: null, message: content.message }] }
          return readCaseFile(content.text, file)
        }),
      )
      const left = found.length - MOST_CASES
      const problems = read.flatMap((each) => each.problems)
      return {
        cases: read.flatMap(({ case: one }) =>
          one === null
            ? []
            : [
                {
                  ...one,
                  agent: byFolder.get(one.agent.toLowerCase()) ?? one.agent,
                  digest: digestOfCase(one),
                },
              ],
        ),
        problems:
          left <= 0
            ? problems
            : [
                ...problems,
                {
                  file: CASES_FOLDER,
                  line: null,
                  message: `More than ${MOST_CASES} cases: ${left} were not read.`,
                },
              ],
      }
    },

    async read(folder, file) {
      if (file === null) return ok({ text: firstCaseText })
      const place = await placeOf(folder, file)
      if (!place.ok) return place
      if (!(await exists(place.value))) return fail(gone(file))
      const content = await readPlainFile(place.value, await realOf(folder))
      return content.kind === 'text'
        ? ok({ text: content.text })
        : fail({ type: 'unreadable', message: `${file}: ${content.message}` })
    },

    async save(folder, { agent, file, text }) {
      const given = file ?? `${CASES_FOLDER}/${caseFolderOf(agent)}/new.yaml`
      const read = readCaseFile(text, given)
      if (read.case === null) return ok({ file: given, problems: read.problems })
      const target = file ?? (await freeName(folder, dirname(given), read.case.name))
      const place = await placeOf(folder, target)
      if (!place.ok) return place
      if (!(await staysIn(folder, dirname(place.value)))) return fail(leadsOut(dirname(place.value)))
      await mkdir(dirname(place.value), { recursive: true }).catch(() => undefined)
      const written = await editTextFile(place.value, () => ok(text))
      return written.ok ? ok({ file: target, problems: [] }) : written
    },

    async remove(folder, file) {
      const place = await placeOf(folder, file)
      if (!place.ok) return place
      const trash = join(dataFolder, 'trash', 'agent-tests')
      try {
        await mkdir(trash, { recursive: true })
        await copyFile(place.value, join(trash, `${newKey()}-${basename(file)}`))
        await unlink(place.value)
        return ok(undefined)
      } catch (thrown) {
        if (codeOf(thrown) === 'ENOENT') return fail(gone(file))
        return fail({ type: 'io', message: `${file} could not be deleted: ${messageOf(thrown)}` })
      }
    },
  }
}

/** The paths of all case files below the folder, by name. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const list = (path: string) => readdir(join(folder, path), { withFileTypes: true }).catch(() => [])
  const agents = (await list(CASES_FOLDER)).filter((each) => each.isDirectory())
  const found = await Promise.all(
    agents.map(async ({ name }) =>
      (await list(`${CASES_FOLDER}/${name}`))
        .filter((each) => !each.isDirectory() && isCaseName(each.name))
        .map((each) => `${CASES_FOLDER}/${name}/${each.name}`),
    ),
  )
  return found.flat().sort()
}

const isCaseName = (name: string): boolean => /^[^.].*\.ya?ml$/.test(name)

/** The absolute path of a case file. Fails with `bad-path` for any other file. */
async function placeOf(folder: string, file: string): Promise<Result<string>> {
  const parts = file.startsWith(`${CASES_FOLDER}/`) ? file.slice(CASES_FOLDER.length + 1).split('/') : []
  const [agent = '', name = ''] = parts
  const path = join(folder, file)
  const isGood =
    parts.length === 2 &&
    /^[^.\\:*?"<>|][^\\:*?"<>|]*$/.test(agent) &&
    isCaseName(name) &&
    !/[\\:*?"<>|]/.test(name)
  return isGood && isBelow(folder, path)
    ? ok(path)
    : fail({ type: 'bad-path', message: `${file} is not in ${CASES_FOLDER}/AGENT/, so nothing was done.` })
}

/** The path of a new file, named by the case. */
async function freeName(folder: string, inside: string, name: string): Promise<string> {
  const stem = agentSlug(name)
  for (let number = 1; ; number++) {
    const path = `${inside}/${number === 1 ? stem : `${stem}-${number}`}.yaml`
    if (!(await exists(join(folder, path)))) return path
  }
}

const gone = (file: string) => ({ type: 'not-found', message: `${file} is gone.` })
