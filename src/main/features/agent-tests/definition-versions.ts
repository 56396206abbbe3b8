/** The versions of an agent that can be compared: in use, a draft, earlier commits of its file, other agents. */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename, dirname, relative, sep } from 'node:path'
import { diffArrays } from 'diff'
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import type { AgentVersion, VersionRef } from '../../../shared/agent-tests/agent-tests.ts'
import { countOf } from '../../../shared/kernel/amounts.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { similarNames } from '../../../shared/kernel/similar-names.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { readBlobs } from '../../platform/git/objects.ts'
import { repositoryAround } from '../../platform/git/repository.ts'
import type { DefinitionFiles, DefinitionSource, LoadedDefinition } from '../../runtime/ports/definitions.ts'
import type { ModelCatalog } from '../../runtime/ports/model.ts'
import type { Policy } from '../../runtime/ports/ports.ts'
import { realOf } from '../definitions/agent-folders.ts'

/** A version with the definition that its attempts run with. */
export interface LoadedVersion extends AgentVersion {
  readonly definition: LoadedDefinition
}

export interface DefinitionVersions {
  /** Fails with `not-found` or `unreadable`. */
  list(wanted: {
    readonly folder: string
    readonly agent: string
    readonly draft: string | null
  }): Promise<Result<readonly LoadedVersion[]>>
  /** Fails with `not-found` or `unreadable`, about the first version that can't be used. */
  resolve(wanted: {
    readonly folder: string
    readonly agent: string
    readonly versions: readonly VersionRef[]
  }): Promise<Result<readonly LoadedVersion[]>>
}

export interface VersionParts {
  readonly definitions: Pick<DefinitionSource, 'catalog' | 'load'>
  readonly definitionFiles: Pick<DefinitionFiles, 'open'>
  readonly git: Git
  readonly models: Pick<ModelCatalog, 'resolve'>
  readonly policy: Pick<Policy, 'defaults' | 'trusted'>
  /** ms since the epoch. */
  readonly now: () => number
}

/** An agent as it is in use. */
interface AgentInUse {
  readonly folder: string
  readonly definition: LoadedDefinition
  readonly entry: CatalogEntry | null
  /** Null: it has no text of its own. */
  readonly text: string | null
}

const MOST_COMMITS = 20
const MOST_SEARCHED = 1000

export function createDefinitionVersions(parts: VersionParts): DefinitionVersions {
  async function inUse(folder: string, name: string): Promise<Result<AgentInUse>> {
    const trust = { trusted: parts.policy.trusted(folder) }
    const [{ definitions, problems }, { entries }] = await Promise.all([
      parts.definitions.load(folder, trust),
      parts.definitions.catalog(folder, trust),
    ])
    const isIt = (each: { readonly name: string }) => each.name.toLowerCase() === name.toLowerCase()
    const definition = definitions.find(isIt)
    if (definition === undefined) {
      const known = definitions.map((each) => each.name)
      const refused = problems.find(({ refuses }) => refuses?.toLowerCase() === name.toLowerCase())
      return fail(notFound(name, refused?.message, known))
    }
    const entry =
      entries.find((each) => isIt(each) && (each.state === 'offered' || each.state === 'hidden')) ?? null
    const opened = entry === null ? null : await parts.definitionFiles.open({ folder, id: entry.id })
    const text = opened?.ok && definition.program === undefined ? opened.value.text : null
    return ok({ folder, definition, entry, text })
  }

  async function versionOf(agent: AgentInUse, ref: VersionRef): Promise<Result<LoadedVersion>> {
    const { base } = ref
    switch (base.type) {
      case 'in-use': {
        const savedAt = agent.entry?.file ? await timeOf(agent.entry.file) : null
        return ok(made(agent, ref, { ...agent, title: 'In use', note: '', savedAt }))
      }
      case 'draft': {
        const definition = drafted(agent, base.text, 'the draft')
        if (!definition.ok) return definition
        const note = changedLines(agent.text ?? '', base.text)
        return ok(
          made(agent, ref, {
            definition: definition.value,
            text: base.text,
            title: base.name ?? 'Draft',
            note,
            savedAt: null,
          }),
        )
      }
      case 'commit': {
        const saved = await savedTexts(agent, base.commit)
        if (!saved.ok) return saved
        const [first] = saved.value
        if (first === undefined) return fail(noCommit(agent, base.commit))
        return savedVersion(agent, ref, first)
      }
      case 'agent': {
        const other = await inUse(agent.folder, base.name)
        if (!other.ok) return other
        return ok(
          made(agent, ref, { ...other.value, title: other.value.definition.name, note: '', savedAt: null }),
        )
      }
    }
  }

  function savedVersion(agent: AgentInUse, ref: VersionRef, saved: SavedText): Result<LoadedVersion> {
    const definition = drafted(agent, saved.text, `the version of ${dateOf(saved.at, parts.now())}`)
    if (!definition.ok) return definition
    const title = dateOf(saved.at, parts.now())
    return ok(
      made(agent, ref, {
        definition: definition.value,
        text: saved.text,
        title,
        note: saved.subject,
        savedAt: saved.at,
      }),
    )
  }

  /** A definition with what the reference changes. */
  function made(agent: AgentInUse, ref: VersionRef, base: VersionBase): LoadedVersion {
    const { model, effort, skill } = ref
    const definition: LoadedDefinition = {
      ...base.definition,
      ...(model !== null && { model }),
      ...(effort !== null && { effort }),
      ...(skill !== null && { skills: [...new Set([...base.definition.skills, skill])] }),
    }
    const wanted =
      definition.model === 'inherit' ? parts.policy.defaults(agent.folder).model : definition.model
    const isProgram = definition.program !== undefined
    const resolved = isProgram ? (model ?? ITS_OWN) : parts.models.resolve(wanted)
    const others = [
      model,
      effort === null ? null : `${effort} effort`,
      skill === null ? null : `with ${skill}`,
    ]
    const changes = others.filter((each) => each !== null)
    return {
      id: digestOf([base.text ?? JSON.stringify(base.definition), resolved, effort, skill]),
      ref,
      title: [base.title, ...changes].join(', '),
      model: resolved,
      note: changes.length === 0 ? base.note : otherwise(ref, base.title),
      text: isProgram ? null : base.text,
      savedAt: base.savedAt,
      definition,
    }
  }

  /** The texts of the file at its last commits, the newest first; with `commit`, its last one up to that commit. */
  async function savedTexts(agent: AgentInUse, commit?: string): Promise<Result<readonly SavedText[]>> {
    const file = agent.entry?.file ?? null
    if (file === null || !parts.policy.trusted(agent.folder)) return ok([])
    const real = await realOf(file)
    const repository = await repositoryAround(parts.git, dirname(real))
    if (!repository.ok) return ok([])
    const { top } = repository.value
    const path = relative(top, real).split(sep).join('/')
    const log = async (most: number, from: readonly string[]) => {
      const args = ['log', '--follow', '--name-only', '--no-show-signature', '--format=%x00%H%x1f%ct%x1f%s']
      const listed = await parts.git.run(top, [
        ...['--literal-pathspecs', ...args, `-${most}`, '--end-of-options', ...from, '--', path],
      ])
      return listed.ok ? listed.value.split('\0').slice(1).map(commitOf) : []
    }
    const commits = commit === undefined ? await log(MOST_COMMITS, []) : await log(1, [commit])
    // Before it was renamed, the file had another path: only the way back from now knows it.
    if (commit !== undefined && commits.length === 0)
      commits.push(...(await log(MOST_SEARCHED, [])).filter(({ hash }) => hash.startsWith(commit)))
    const ids = commits.map(({ hash, path: then }) => `${hash}:${then}`)
    const texts = await readBlobs(parts.git, top, ids)
    if (!texts.ok) return texts
    return ok(
      commits.flatMap(({ hash, at, subject }, index) => {
        const text = texts.value[index]
        return text ? [{ hash, at, subject, text: text.toString('utf8') }] : []
      }),
    )
  }

  return {
    async list({ folder, agent: name, draft }) {
      const agent = await inUse(folder, name)
      if (!agent.ok) return agent
      const first = await versionOf(agent.value, refOf({ type: 'in-use' }))
      if (!first.ok) return first
      const versions = [first.value]
      if (draft !== null) {
        const drafted = await versionOf(agent.value, refOf({ type: 'draft', text: draft }))
        if (drafted.ok) versions.push(drafted.value)
      }
      const saved = await savedTexts(agent.value)
      for (const each of saved.ok ? saved.value : []) {
        const version = savedVersion(agent.value, refOf({ type: 'commit', commit: each.hash }), each)
        // A commit that did not change the text, or whose text can't be read, is no version of its own.
        if (version.ok && !versions.some(({ id }) => id === version.value.id)) versions.push(version.value)
      }
      return ok(withTimes(versions))
    },

    async resolve({ folder, agent: name, versions }) {
      const agent = await inUse(folder, name)
      if (!agent.ok) return agent
      const resolved: LoadedVersion[] = []
      for (const ref of versions) {
        const version = await versionOf(agent.value, ref)
        if (!version.ok) return version
        resolved.push(version.value)
      }
      return ok(resolved)
    },
  }
}

const ITS_OWN = 'its own model'

interface VersionBase {
  readonly definition: LoadedDefinition
  readonly text: string | null
  readonly title: string
  readonly note: string
  readonly savedAt: number | null
}

interface SavedText {
  readonly hash: string
  /** ms since the epoch. */
  readonly at: number
  readonly subject: string
  readonly text: string
}

function commitOf(line: string) {
  const [head = '', ...rest] = line.split('\n')
  const [hash = '', seconds = '', subject = ''] = head.split('\x1f')
  return { hash, at: Number(seconds) * 1000, subject, path: rest.find((each) => each !== '') ?? '' }
}

const refOf = (base: VersionRef['base']): VersionRef => ({ base, model: null, effort: null, skill: null })

/** A text that is not in use, as the definition that it would be. */
function drafted({ definition, entry }: AgentInUse, text: string, what: string): Result<LoadedDefinition> {
  const stem = entry?.file ? basename(entry.file).replace(/\.md$/, '') : definition.name
  const read = readDefinition(text, { stem, source: what })
  if (read.definition !== null && read.offered)
    return ok({ ...read.definition, name: definition.name, source: definition.source, file: definition.file })
  const first = read.diagnostics.find(({ severity }) => severity === 'error') ?? read.diagnostics[0]
  const why = first === undefined ? '' : ` Line ${first.line}: ${first.message}`
  return fail({
    type: 'unreadable',
    message: `${what[0]?.toUpperCase()}${what.slice(1)} can’t be used.${why}`,
  })
}

function changedLines(before: string, after: string): string {
  let changed = 0
  let removed = 0
  for (const part of diffArrays(before.split('\n'), after.split('\n'))) {
    if (part.removed) removed = part.value.length
    else {
      changed += part.added ? Math.max(removed, part.value.length) : removed
      removed = 0
    }
  }
  changed += removed
  return changed === 0 ? 'nothing changed' : `${countOf(changed, 'line')} changed`
}

function otherwise({ base }: VersionRef, title: string): string {
  switch (base.type) {
    case 'in-use':
      return 'otherwise as in use'
    case 'draft':
      return 'otherwise the draft'
    case 'commit':
      return `otherwise as of ${title}`
    case 'agent':
      return `otherwise ${title}`
  }
}

/** "Nov 12", with the year where it is not this one. */
export function dateOf(at: number, now: number): string {
  const date = new Date(at)
  const isThisYear = date.getFullYear() === new Date(now).getFullYear()
  return date.toLocaleDateString('en-US', {
    month: 'short',
    day: 'numeric',
    ...(!isThisYear && { year: 'numeric' }),
  })
}

/** Versions of one day are told apart by their times. */
function withTimes(versions: readonly LoadedVersion[]): readonly LoadedVersion[] {
  const count = (title: string) => versions.filter((each) => each.title === title).length
  return versions.map((version) => {
    if (count(version.title) === 1 || version.savedAt === null) return version
    const time = new Date(version.savedAt).toLocaleTimeString('en-US', {
      hour: '2-digit',
      minute: '2-digit',
      hour12: false,
    })
    return { ...version, title: `${version.title}, ${time}` }
  })
}

const timeOf = (file: string): Promise<number | null> =>
  stat(file).then(
    (found) => found.mtimeMs,
    () => null,
  )

const digestOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)

function notFound(name: string, refused: string | undefined, known: readonly string[]) {
  const [near] = similarNames(name, known, 1)
  const hint = refused ?? (near === undefined ? '"troupe agents list" shows all.' : `Did you mean ${near}?`)
  return { type: 'not-found', message: `No agent named ${name} is in use in this folder. ${hint}` }
}

const noCommit = ({ definition }: AgentInUse, commit: string) => ({
  type: 'not-found',
  message: `The definition of ${definition.name} has no version at ${commit}: the commit is gone, or its file did not exist then.`,
})
