/** Agents folders in memory with the program's own reading and precedence, for tests and the window harness. */

import {
  type AgentCatalog,
  type AgentSource,
  agentSources,
  type CatalogEntry,
  contentOf,
  type DefinitionText,
  type NotUtf8,
  type PendingDefinition,
  type RestoredDefinition,
} from '../../../../shared/agent-definition/agent-catalog.ts'
import { stableColor } from '../../../../shared/agent-definition/agent-color.ts'
import type { DefinitionTrash } from '../../../../shared/agent-definition/agent-definition.ts'
import { openConditions } from '../../../../shared/agent-definition/effective-tools.ts'
import { grownRights } from '../../../../shared/agent-definition/grown-rights.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { type FakeHandlers, Refusal } from '../../../testing/fake-handlers.ts'

export interface MadeUpFile {
  readonly source: AgentSource
  /** Relative to the agents folder. */
  readonly path: string
  readonly text: string
  readonly plugin?: string
  /** Set if the definition waits for the user: the text that was approved; null: it is new. */
  readonly former?: string | null
  /** Set if the file has another encoding. */
  readonly notUtf8?: NotUtf8
}

interface StoredFile extends MadeUpFile {
  readonly version: string
}

const FOLDERS: Readonly<Record<AgentSource, string>> = {
  project: '/home/ada/src/checkout-service/.claude/agents/',
  user: '/home/ada/.claude/agents/',
  plugin: '/home/ada/.claude/plugins/release-kit/agents/',
  managed: '/etc/troupe/agents/',
  'built-in': 'built-in:',
  'command-line': 'command-line:',
}
const ORDER = ['project', 'user', 'plugin', 'managed', 'command-line', 'built-in'] as const
const TOOLS =
  'Agent Read Glob Grep Write Edit NotebookEdit Bash WebFetch WebSearch TodoWrite Skill SendMessage TaskOutput TaskStop AskUserQuestion ExitPlanMode'.split(
    ' ',
  )
const GITHUB = [
  'create_issue',
  'list_issues',
  'get_pull_request',
  'merge_pull_request',
  'search_code',
  'add_comment',
].map((tool) => `mcp__github__${tool}`)

export class DefinitionFolder {
  private files = new Map<string, StoredFile>()
  private readonly trashed = new Map<
    string,
    { readonly id: string; readonly file: StoredFile; readonly unsaved: string | null }
  >()
  private readonly converted = new Map<string, StoredFile>()
  private written = 0

  fill(files: readonly MadeUpFile[]): void {
    this.files = new Map(files.map((file) => [FOLDERS[file.source] + file.path, this.store(file)]))
  }

  /** Answers the commands of the editor. `isTrusted`: whether the folder is. `written` is called after each change. */
  handlers(isTrusted: () => boolean, written: () => void = () => {}) {
    const after = <T>(answer: T): T => {
      written()
      return answer
    }
    return {
      'definition.catalog': () => this.catalog(isTrusted()),
      'definition.open': ({ id }) => this.open(id),
      'definition.pending': ({ id }) => this.pending(id),
      'definition.approve': ({ id, version }) => this.approve(id, version),
      'definition.save': ({ id, text, version, converts = false }) =>
        after(this.save({ id, text, version, converts })),
      'definition.unconvert': ({ id, version }) => after(this.unconvert(id, version)),
      'definition.create': ({ source, path, text }) => after(this.create(source, path, text)),
      'definition.move': ({ id, path }) => after(this.move(id, path)),
      'definition.trash': ({ id, unsaved }) => after(this.trash(id, unsaved)),
      'definition.restore': ({ trashId }) => after(this.restore(trashId)),
      'definition.listTrash': () => this.listTrash(),
      'definition.readTrashed': ({ trashId }) => this.readTrashed(trashId),
      'definition.deleteTrashed': ({ trashIds }) => this.deleteTrashed(trashIds),
    } satisfies FakeHandlers
  }

  catalog(isTrusted: boolean): AgentCatalog {
    const entries = ORDER.flatMap((source) =>
      [...this.files]
        .filter(([, file]) => file.source === source && (isTrusted || source !== 'project'))
        .sort(([, a], [, b]) => a.path.localeCompare(b.path))
        .map(([id, file]) => entryOf(id, file)),
    )
    return {
      entries: entries.map((entry) => withOverrides(entry, entries)),
      problems: [],
      tools: [...TOOLS, ...GITHUB],
      conditions: openConditions,
      skills: [
        {
          name: 'owasp-top-ten',
          description: 'What attackers try first, and how it is stopped.',
          source: 'project',
          file: '/home/ada/src/checkout-service/.claude/skills/owasp-top-ten/SKILL.md',
        },
        {
          name: 'commit',
          description: 'Writes a commit message.',
          source: 'user',
          file: '/home/ada/.claude/skills/commit/SKILL.md',
        },
      ],
      servers: ['github'],
      watched: ['.claude/agents'],
    }
  }

  open(id: string): DefinitionText {
    const { text, version, notUtf8 } = this.file(id)
    return { id, text, version, ...(notUtf8 && { notUtf8 }) }
  }

  pending(id: string): PendingDefinition {
    const { text, former = null } = this.file(id)
    const read = (from: string) => readDefinition(from, { stem: 'agent', source: 'project' }).definition
    const [before, now] = [former === null ? null : read(former), read(text)]
    return { ...this.open(id), former, gained: before && now ? grownRights(before, now) : [] }
  }

  approve(id: string, version: string | null): void {
    const { former: _, ...file } = this.file(id)
    if (file.version !== version) throw new Refusal('The file was changed meanwhile.', 'changed')
    this.files.set(id, file)
  }

  save({
    id,
    text,
    version,
    converts,
  }: Pick<DefinitionText, 'id' | 'text' | 'version'> & { readonly converts: boolean }): DefinitionText {
    const { notUtf8, ...file } = this.file(id)
    if (file.version !== version)
      throw new Refusal('The file was changed on disk while it was edited. Nothing was written.', 'changed')
    if (notUtf8 !== undefined && !converts) throw new Refusal('The file is not UTF-8.', 'not-utf8')
    if (notUtf8 !== undefined) this.converted.set(id, this.file(id))
    return this.put(id, { ...file, text })
  }

  unconvert(id: string, version: string | null): void {
    const former = this.converted.get(id)
    if (former === undefined) throw new Refusal('The file is not there.', 'not-found')
    if (this.file(id).version !== version) throw new Refusal('The file was changed meanwhile.', 'changed')
    this.put(id, former)
  }

  create(source: 'project' | 'user', path: string, text: string): DefinitionText {
    const id = FOLDERS[source] + path
    if (this.files.has(id)) throw new Refusal(`${path} already exists.`, 'exists')
    return this.put(id, { source, path, text })
  }

  move(id: string, path: string): DefinitionText {
    const file = this.file(id)
    const target = FOLDERS[file.source] + path
    if (this.files.has(target)) throw new Refusal(`${path} already exists.`, 'exists')
    this.files.delete(id)
    return this.put(target, { ...file, path })
  }

  trash(id: string, unsaved: string | null): { trashId: string } {
    this.written += 1
    const trashId = `trash-${this.written}`
    this.trashed.set(trashId, { id, file: this.file(id), unsaved })
    this.files.delete(id)
    return { trashId }
  }

  restore(trashId: string): RestoredDefinition {
    const found = this.trashed.get(trashId)
    if (found === undefined) throw new Refusal('It is no longer in the trash.')
    this.trashed.delete(trashId)
    return { ...this.put(found.id, found.file), unsaved: found.unsaved }
  }

  listTrash(): DefinitionTrash {
    const definitions = [...this.trashed].map(([trashId, { id, file }], index) => {
      const { definition } = readDefinition(file.text, { stem: 'x', source: file.source })
      return { trashId, name: definition?.name ?? 'x', file: id, trashedAt: index }
    })
    return { folder: '/home/ada/.local/share/troupe/trash/definitions', definitions: definitions.reverse() }
  }

  readTrashed(trashId: string): string {
    const found = this.trashed.get(trashId)
    if (found === undefined) throw new Refusal('It is no longer in the trash.')
    return found.file.text
  }

  deleteTrashed(trashIds: readonly string[]): void {
    for (const trashId of trashIds) this.trashed.delete(trashId)
  }

  changeOnDisk(id: string, text: string | null): void {
    if (text === null) this.files.delete(id)
    else this.put(id, { ...this.file(id), text })
  }

  /** Renames a file as another program would, and changes its text if one is given. */
  renameOnDisk(id: string, path: string, text?: string): string {
    const file = this.file(id)
    this.files.delete(id)
    const target = FOLDERS[file.source] + path
    // The version is that of the text.
    this.files.set(target, { ...file, path, ...(text !== undefined && this.store({ ...file, path, text })) })
    return target
  }

  private put(id: string, file: MadeUpFile): DefinitionText {
    this.files.set(id, this.store(file))
    return this.open(id)
  }

  private store(file: MadeUpFile): StoredFile {
    this.written += 1
    return { ...file, version: String(this.written) }
  }

  private file(id: string): StoredFile {
    const file = this.files.get(id)
    if (file === undefined) throw new Refusal('The file no longer exists.', 'gone')
    return file
  }
}

function entryOf(id: string, { source, plugin, path, text, former }: StoredFile): CatalogEntry {
  const stem = (path.split('/').at(-1) ?? path).replace(/\.md$/, '')
  const { definition, offered, diagnostics } = readDefinition(text, { stem, source })
  const name = definition?.name ?? stem
  const isNotice = diagnostics.every(({ severity }) => severity === 'notice')
  return {
    id,
    name: plugin === undefined ? name : [plugin, ...path.split('/').slice(0, -1), name].join(':'),
    source,
    plugin: plugin ?? null,
    file: source === 'built-in' || source === 'command-line' ? null : id,
    path,
    color: stableColor(definition?.color ?? null, name),
    description: definition?.description ?? '',
    state:
      former !== undefined
        ? 'waits'
        : definition === null && isNotice
          ? 'no-agent'
          : !offered
            ? 'refused'
            : definition?.hidden === true
              ? 'hidden'
              : 'offered',
    locked: source !== 'project' && source !== 'user',
    shadowedBy: null,
    overrides: [],
    diagnostics: diagnostics.map(({ code, severity, line, column, message }) => ({
      code,
      severity,
      line,
      column,
      message,
    })),
    content: definition === null ? null : contentOf(definition),
  }
}

function withOverrides(entry: CatalogEntry, entries: readonly CatalogEntry[]): CatalogEntry {
  if (entry.state !== 'offered' && entry.state !== 'hidden') return entry
  const same = entries.filter(
    (other) =>
      other.name.toLowerCase() === entry.name.toLowerCase() &&
      (other.state === 'offered' || other.state === 'hidden'),
  )
  const rank = ({ source }: CatalogEntry) => agentSources.indexOf(source)
  const holder = same.toSorted((a, b) => rank(b) - rank(a))[0]
  if (holder === entry || holder === undefined)
    return { ...entry, overrides: same.filter((other) => other !== entry).map(({ id }) => id) }
  return { ...entry, state: 'shadowed', shadowedBy: holder.id }
}
