/** Decides about reading and writing files. */
import type { RuleOffer } from '../../../shared/events/agent-event.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { pathBelow } from '../paths/paths.ts'
import { isSecret, isSecretBelow } from '../paths/sensitive-files.ts'
import type { PermissionTarget } from '../ports/tool.ts'
import { dataFolderDenied, isTroupeData } from './data-folder.ts'
import { type LocatedPath, locatePath } from './locate-path.ts'
import type { PermissionConcern, PermissionDecision } from './permission-concern.ts'
import { escapeGlob, fileRule, ruleForFile, ruleName, ruleTarget } from './permission-rule.ts'
import { byRules, forbiddenByRule, onlyTheUser, planMode, readOnlyAgent, untrusted } from './refusals.ts'
import { isProtected } from './startup-files.ts'

export async function decideRead(question: PermissionConcern, path: string): Promise<PermissionDecision> {
  const found = await locate(question, path)
  if (!found.ok) return unresolved(question, { path, kind: 'read', message: found.message })
  const file = found.value
  const forbidden = forbiddenFile(question, file, 'read')
  if (forbidden) return forbidden
  const concern = readConcern(file, question.agent.readFolders)
  if (concern === null) return allow('Reading here needs no permission.', file)
  const rule = ruleForFile(question.rules, {
    target: ruleTarget(question.tool, 'read'),
    file,
    secret: concern.secret,
  })
  if (rule) return allow(`Allowed by the rule ${ruleName(rule)}.`, file)
  if (question.mode === 'bypassPermissions') return allow('Allowed by the mode bypassPermissions.', file)
  return askAbout(question, {
    file,
    because: concern.because,
    action: concern.secret ? 'read a file that may contain a secret' : 'read outside the folder',
    shown: null,
    offers: concern.secret ? [] : readOffers(file, ruleTarget(question.tool, 'read') === 'search'),
    remedy: byRules(fileRule('read', file)),
    secret: concern.secret ? 'May hold secrets. What it reads is sent to the model.' : undefined,
  })
}

export async function decideWrite(
  question: PermissionConcern,
  target: PermissionTarget & { kind: 'write' },
): Promise<PermissionDecision> {
  if (question.agent.readOnly) return { kind: 'deny', because: readOnlyAgent }
  if (!question.trusted) return { kind: 'deny', because: untrusted }
  if (question.mode === 'plan') return { kind: 'deny', because: planMode }
  const found = await locate(question, target.path)
  if (!found.ok) return unresolved(question, { path: target.path, kind: 'write', message: found.message })
  const file = found.value
  const forbidden = forbiddenFile(question, file, 'write')
  if (forbidden) return forbidden
  const isSettings = file.real === question.agent.settingsFile
  if (!isSettings && (await isTroupeData(question, file))) return { kind: 'deny', because: dataFolderDenied }
  if (isInOwnFolder(file, question.agent.writeFolders))
    return allow('The file is in the agent’s own memory folder.', file)
  const action = `write ${makeVisible(file.below ?? file.real)}`
  const write = { file, action, shown: target.preview === '' ? null : target.preview }
  if (isSettings || isProtectedFile(file))
    return askAbout(question, {
      ...write,
      because: `${named(file)} controls what runs or is allowed later, so every write needs permission.`,
      offers: [],
      remedy: onlyTheUser,
    })
  const rule = ruleForFile(question.rules, { target: ruleTarget(question.tool, 'write'), file })
  if (rule) return allow(`Allowed by the rule ${ruleName(rule)}.`, file)
  if (question.mode === 'bypassPermissions') return allow('Allowed by the mode bypassPermissions.', file)
  const isAdded = question.agent.additionalFolders?.some((folder) => pathBelow(folder, file.real) !== null)
  const isKept = isSecretFile(file)
  if ((file.below !== null || isAdded) && question.mode === 'acceptEdits' && !isKept)
    return allow('Allowed by the mode acceptEdits: the file is inside the folder.', file)
  if (isOpenToCommands(question, file) && !isKept)
    return allow('Nobody is asked here, and commands in the sandbox can change this file too.', file)
  const remedy = byRules(fileRule('write', file))
  return askAbout(question, {
    ...write,
    because:
      file.below === null
        ? `${named(file)} is outside the folder.`
        : isKept
          ? `${named(file)} may contain a secret.`
          : 'This writes a file.',
    offers: isKept ? writeOffers(file).slice(0, 1) : writeOffers(file),
    remedy: file.below === null || isKept ? remedy : `${remedy} So would the mode acceptEdits.`,
    secret: isKept ? 'May hold secrets.' : undefined,
  })
}

/** Whether nobody would be asked about the write, and a command could make it without a question. */
function isOpenToCommands(
  { agent, sandbox, mode, neverAsks = false, reachesUser = true }: PermissionConcern,
  { below, real }: LocatedPath,
): boolean {
  const isAsked = reachesUser && !neverAsks && mode !== 'dontAsk'
  if (isAsked || !sandbox?.autoAllow) return false
  const folders = [...(agent.additionalFolders ?? []), ...sandbox.alsoWrites]
  return below !== null || folders.some((folder) => pathBelow(folder, real) !== null)
}

/** Why reading a file needs permission, or null. */
export function readConcern(
  file: LocatedPath,
  readFolders: readonly string[] = [],
): { readonly secret: boolean; readonly because: string } | null {
  if (isSecretFile(file)) return { secret: true, because: `${named(file)} may contain a secret.` }
  const isGiven = readFolders.some((folder) => pathBelow(folder, file.real) !== null)
  if (file.below === null && !isGiven)
    return { secret: false, because: `${named(file)} is outside the folder.` }
  return null
}

/** Whether a file may contain a secret. Both the given path and the path it resolves to count. */
export function isSecretFile({ real, below, asked }: LocatedPath): boolean {
  if (isSecret(asked)) return true
  if (below === null) return isSecret(real)
  return isSecretBelow(below === '.' ? real : real.slice(0, -below.length - 1), below)
}

/** Whether every write needs permission. Both the given path and the path it resolves to count. */
export function isProtectedFile(file: LocatedPath): boolean {
  return isProtected(file.below ?? file.real, file.real) || isProtected(file.asked, file.path)
}

/**
 * Whether a file is in a folder that the agent owns. Files that control what runs later still need permission there,
 * and so do links that lead into the folder under such a name.
 */
function isInOwnFolder(file: LocatedPath, folders: readonly string[] = []): boolean {
  return folders.some((folder) => {
    const rest = pathBelow(folder, file.real)
    if (rest === null || rest === '.' || isProtected(rest) || isSecret(rest)) return false
    return pathBelow(folder, file.path) !== null || !isProtected(file.asked)
  })
}

/** A path as the user sees it, with the target of a link. */
export function named(file: LocatedPath): string {
  const path = makeVisible(file.path)
  return file.linked ? `${path} (a link to ${makeVisible(file.real)})` : path
}

function forbiddenFile(
  question: PermissionConcern,
  file: LocatedPath,
  kind: 'read' | 'write',
): PermissionDecision | null {
  const { denied, only } = question.definitionRules
  const target = ruleTarget(question.tool, kind)
  const rule = ruleForFile(denied, { target, file })
  if (rule) return { kind: 'deny', because: forbiddenByRule(rule) }
  const narrowed = only.filter(({ tool }) => tool === question.tool)
  if (narrowed.length === 0 || ruleForFile(narrowed, { target, file })) return null
  // An agent with a memory of its own also has the folder of that memory.
  if (isInOwnFolder(file, question.agent.writeFolders)) return null
  const allowed = narrowed.map(({ text }) => text).join(', ')
  return { kind: 'deny', because: `This agent's definition allows only ${allowed}.` }
}

type Located = { ok: true; value: LocatedPath } | { ok: false; message: string }

async function locate(question: PermissionConcern, path: string): Promise<Located> {
  const { agent, cwd, realPath } = question
  const found = await locatePath(path, { cwd, root: agent.root, realPath })
  return found.ok ? found : { ok: false, message: found.failure.message }
}

function unresolved(
  question: PermissionConcern,
  {
    path,
    kind,
    message,
  }: { readonly path: string; readonly kind: 'read' | 'write'; readonly message: string },
): PermissionDecision {
  const because = `Troupe can't resolve ${makeVisible(path.slice(0, 300))}: ${message}`
  return {
    kind: 'ask',
    subject: { kind: 'file', action: `${kind} a file`, text: makeVisible(path), folder: question.agent.root },
    because,
    alwaysRule: null,
    remedy: onlyTheUser,
  }
}

function allow(because: string, file: LocatedPath): PermissionDecision {
  return { kind: 'allow', because, realPath: file.real }
}

function askAbout(
  question: PermissionConcern,
  ask: {
    readonly file: LocatedPath
    readonly because: string
    readonly action: string
    /** A diff or the new content; null shows the path. */
    readonly shown: string | null
    readonly offers: readonly RuleOffer[]
    readonly remedy: string
    /** What follows for a file that may contain a secret. */
    readonly secret?: string | undefined
  },
): PermissionDecision {
  const { secret } = ask
  const text = named(ask.file)
  return {
    kind: 'ask',
    subject: {
      kind: ask.shown === null ? 'file' : 'diff',
      action: ask.action,
      text: ask.shown === null ? text : makeVisible(ask.shown),
      folder: question.agent.root,
      ...(secret && { parts: [{ text, step: 1, danger: { kind: 'secret', consequence: secret } }] }),
    },
    because: ask.because,
    alwaysRule: ask.offers[0]?.rule ?? null,
    offers: ask.offers,
    remedy: ask.remedy,
    realPath: ask.file.real,
  }
}

/** Folders at the top of the agent's folder, and those that directly hold the file. */
function writeOffers(file: Pick<LocatedPath, 'real' | 'below'>): readonly RuleOffer[] {
  const exact = { rule: fileRule('write', file) }
  const folders = file.below?.split('/').slice(0, -1) ?? []
  // The files of programs in such folders often decide what runs.
  if (folders.some((name) => name.startsWith('.') || name === 'node_modules')) return [exact]
  const around = new Set([folders.join('/'), folders[0] ?? ''])
  const wider = [...around]
    .filter((folder) => folder !== '')
    .map((folder) => ({
      rule: `Edit(/${escapeGlob(folder)}/**)`,
      alsoCovers: `every other file in ${makeVisible(folder)} and below`,
    }))
  return [exact, ...wider]
}

/**
 * A file outside the agent's folder. `isFolder`: the call searches a folder, whose rule covers everything below.
 * No rule for a whole folder is offered near the root, where the home folders are.
 */
function readOffers(file: Pick<LocatedPath, 'real' | 'below'>, isFolder: boolean): readonly RuleOffer[] {
  const names = file.real.split('/').filter((name) => name !== '')
  const folder = isFolder ? names : names.slice(0, -1)
  const isWideAllowed = folder.length > 2 && !folder.some((name) => name.startsWith('.'))
  const below = `file in /${makeVisible(folder.join('/'))} and below, except files that may contain a secret`
  const exact = fileRule('read', file)
  if (isFolder) return isWideAllowed ? [{ rule: exact, alsoCovers: `every ${below}` }] : []
  if (!isWideAllowed) return [{ rule: exact }]
  return [
    { rule: exact },
    { rule: `Read(//${escapeGlob(folder.join('/'))}/**)`, alsoCovers: `every other ${below}` },
  ]
}
