/** Files: what may be read, and what may be written. */
import { makeVisible } from '../../../shared/visible-text.ts'
import type { PermissionTarget } from '../tool.ts'
import { type LocatedPath, locatePath } from './locate-path.ts'
import { pathBelow } from './paths.ts'
import type { JudgedQuestion, PermissionDecision } from './permission-question.ts'
import { fileRule, ruleForFile, ruleTools } from './permission-rule.ts'
import { notAsked, planMode, readOnlyAgent, untrusted } from './refusals.ts'
import { isProtected, isSecret } from './sensitive-files.ts'

export async function decideRead(question: JudgedQuestion, path: string): Promise<PermissionDecision> {
  const found = await locate(question, path)
  if (!found.ok) return unresolved(question, path, 'read', found.message)
  const file = found.value
  const forbidden = forbiddenByDefinition(question, file, 'read')
  if (forbidden) return forbidden
  const concern = readConcern(file, question.agent.readFolders)
  if (concern === null) return allow('Reading here needs no permission.', file)
  const rule = ruleForFile(question.rules, ruleTools(question.tool, 'read'), file, concern.secret)
  if (rule) return allow(`The rule ${rule.text} allows it.`, file)
  if (question.mode === 'bypassPermissions') return allow('The mode bypassPermissions allows it.', file)
  return askOrDeny(question, {
    file,
    because: concern.because,
    action: concern.secret ? 'read a file that may hold a secret' : 'read outside the folder',
    shown: null,
    alwaysRule: concern.secret ? null : fileRule('Read', file),
    dontAskRule: fileRule('Read', file),
  })
}

export async function decideWrite(
  question: JudgedQuestion,
  target: PermissionTarget & { kind: 'write' },
): Promise<PermissionDecision> {
  if (question.agent.readOnly) return { kind: 'deny', because: readOnlyAgent }
  if (!question.trusted) return { kind: 'deny', because: untrusted }
  if (question.mode === 'plan') return { kind: 'deny', because: planMode }
  const found = await locate(question, target.path)
  if (!found.ok) return unresolved(question, target.path, 'write', found.message)
  const file = found.value
  const forbidden = forbiddenByDefinition(question, file, 'write')
  if (forbidden) return forbidden
  if (isInOwnFolder(file, question.agent.writeFolders))
    return allow('It lies in the agent’s own memory folder.', file)
  const action = `write ${makeVisible(file.below ?? file.real)}`
  const ask = { file, action, shown: target.preview === '' ? null : target.preview }
  if (isProtectedFile(file))
    return askOrDeny(question, {
      ...ask,
      because: `${named(file)} decides what runs or is allowed later, so writing it is always asked about.`,
      alwaysRule: null,
      dontAskRule: null,
    })
  const rule = ruleForFile(question.rules, ruleTools(question.tool, 'write'), file, false)
  if (rule) return allow(`The rule ${rule.text} allows it.`, file)
  if (question.mode === 'bypassPermissions') return allow('The mode bypassPermissions allows it.', file)
  if (file.below !== null && question.mode === 'acceptEdits')
    return allow('The mode acceptEdits allows writing inside the folder.', file)
  const alwaysRule = fileRule('Edit', file)
  return askOrDeny(question, {
    ...ask,
    because: file.below === null ? `${named(file)} lies outside the folder.` : 'A file would be written.',
    alwaysRule,
    dontAskRule: alwaysRule,
  })
}

/** Why reading a file needs a person's word, or null. */
export function readConcern(
  file: LocatedPath,
  readFolders: readonly string[] = [],
): { readonly secret: boolean; readonly because: string } | null {
  if (isSecret(file.below ?? file.real) || isSecret(file.asked))
    return { secret: true, because: `${named(file)} may hold a secret.` }
  const isGiven = readFolders.some((folder) => pathBelow(folder, file.real) !== null)
  if (file.below === null && !isGiven)
    return { secret: false, because: `${named(file)} lies outside the folder.` }
  return null
}

/** Whether writing a file is always asked about, by the name that was asked for or the one it leads to. */
export function isProtectedFile(file: LocatedPath): boolean {
  return isProtected(file.below ?? file.real) || isProtected(file.asked)
}

/**
 * Whether a file lies in a folder that is the agent's to write. What decides later on what runs is asked about
 * there too, and so is a link to it that would.
 */
function isInOwnFolder(file: LocatedPath, folders: readonly string[] = []): boolean {
  return folders.some((folder) => {
    const rest = pathBelow(folder, file.real)
    if (rest === null || rest === '.' || isProtected(rest) || isSecret(rest)) return false
    return pathBelow(folder, file.path) !== null || !isProtected(file.asked)
  })
}

/** A path as a person should see it: with the place that a link leads to. */
export function named(file: LocatedPath): string {
  const path = makeVisible(file.path)
  return file.linked ? `${path} (a link to ${makeVisible(file.real)})` : path
}

function forbiddenByDefinition(
  question: JudgedQuestion,
  file: LocatedPath,
  kind: 'read' | 'write',
): PermissionDecision | null {
  const { denied, only } = question.definitionRules
  const tools = ruleTools(question.tool, kind)
  const rule = ruleForFile(denied, tools, file, false)
  if (rule) return { kind: 'deny', because: `This agent's definition forbids ${rule.text}.` }
  const narrowed = only.filter(({ tool }) => tool === question.tool)
  if (narrowed.length === 0 || ruleForFile(narrowed, tools, file, false)) return null
  const allowed = narrowed.map(({ text }) => text).join(', ')
  return { kind: 'deny', because: `This agent's definition allows only ${allowed}.` }
}

type Located = { ok: true; value: LocatedPath } | { ok: false; message: string }

async function locate(question: JudgedQuestion, path: string): Promise<Located> {
  const { agent, cwd, realPath } = question
  const found = await locatePath(path, { cwd, root: agent.root, realPath })
  return found.ok ? found : { ok: false, message: found.failure.message }
}

function unresolved(
  question: JudgedQuestion,
  path: string,
  kind: 'read' | 'write',
  message: string,
): PermissionDecision {
  const because = `Where ${makeVisible(path.slice(0, 300))} leads could not be found out: ${message}`
  if (question.mode === 'dontAsk') return { kind: 'deny', because: notAsked(because, []) }
  return {
    kind: 'ask',
    subject: { kind: 'file', action: `${kind} a file`, text: makeVisible(path), folder: question.agent.root },
    because,
    alwaysRule: null,
  }
}

function allow(because: string, file: LocatedPath): PermissionDecision {
  return { kind: 'allow', because, realPath: file.real }
}

function askOrDeny(
  question: JudgedQuestion,
  ask: {
    readonly file: LocatedPath
    readonly because: string
    readonly action: string
    /** A diff or the new content; null: the path is shown. */
    readonly shown: string | null
    readonly alwaysRule: string | null
    readonly dontAskRule: string | null
  },
): PermissionDecision {
  if (question.mode === 'dontAsk')
    return { kind: 'deny', because: notAsked(ask.because, ask.dontAskRule === null ? [] : [ask.dontAskRule]) }
  return {
    kind: 'ask',
    subject: {
      kind: ask.shown === null ? 'file' : 'diff',
      action: ask.action,
      text: ask.shown === null ? named(ask.file) : makeVisible(ask.shown),
      folder: question.agent.root,
    },
    because: ask.because,
    alwaysRule: ask.alwaysRule,
    realPath: ask.file.real,
  }
}
