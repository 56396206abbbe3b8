/** The title and the body of a new pull request: from the agent's report and the commits, with the repository's template. */
import { posix } from 'node:path'
import { maskSecrets } from '../../../shared/kernel/mask-secrets.ts'
import type { ForgeKind } from '../../../shared/pull-requests/pull-request.ts'
import type { Git } from '../../platform/git/git-client.ts'

interface Work {
  readonly task: string
  /** The agent's last report, as markdown; empty: none. */
  readonly report: string
  /** The subjects of the commits, the newest first. */
  readonly subjects: readonly string[]
  /** Folders whose names are left out of the report: those of the worktree. */
  readonly folders: readonly string[]
}

interface Template {
  readonly path: string
  readonly text: string
}

const LONGEST_TITLE = 100

/** The subject of a single commit, otherwise the task. */
export function draftTitle({ task, subjects }: Work): string {
  const own = subjects.filter((subject) => !/^(Agent task: |Merge )/.test(subject))
  const chosen = (own.length === 1 ? own[0] : task) ?? task
  const line = chosen.replace(/\s+/g, ' ').trim()
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE - 1).trimEnd()}…`
}

/** The template is kept whole: the draft goes below its first heading for a description, or else before it. */
export function draftBody(work: Work, template: Template | null): string {
  const draft = draftOf(work)
  if (template === null) return draft
  const text = template.text.replace(/\r\n/g, '\n')
  const heading = /^#{1,6}[^\n]*\b(description|summary|what|changes|overview|about)\b[^\n]*\n/im.exec(text)
  if (heading === null) return [draft, text].filter((part) => part !== '').join('\n\n')
  const at = heading.index + heading[0].length
  return draft === '' ? text : `${text.slice(0, at)}\n${draft}\n${text.slice(at)}`
}

function draftOf({ report, subjects, folders }: Work): string {
  const plain = folders
    .filter((folder) => folder !== '')
    .reduce((text, folder) => text.replaceAll(`${folder}/`, '').replaceAll(folder, '.'), report)
  const own = subjects.filter((subject) => !subject.startsWith('Agent task: '))
  const listed =
    own.length > 1
      ? own
          .toReversed()
          .map((subject) => `- ${subject}`)
          .join('\n')
      : ''
  return maskSecrets([plain.trim(), listed].filter((part) => part !== '').join('\n\n')).text
}

/** Folders in which a forge looks for templates, in its order. */
const PLACES: Partial<Readonly<Record<ForgeKind, readonly RegExp[]>>> = {
  github: [
    /^\.github\/pull_request_template(\.(md|txt|markdown))?$/i,
    /^pull_request_template(\.(md|txt|markdown))?$/i,
    /^docs\/pull_request_template(\.(md|txt|markdown))?$/i,
    /^(\.github\/|docs\/)?pull_request_template\/[^/]+\.(md|txt|markdown)$/i,
  ],
  gitlab: [
    /^\.gitlab\/merge_request_templates\/default\.md$/i,
    /^\.gitlab\/merge_request_templates\/[^/]+\.md$/i,
  ],
  gitea: [/^(\.(gitea|forgejo|github)\/)?pull_request_template\.md$/i, /^docs\/pull_request_template\.md$/i],
}

/** Bytes. */
const LARGEST = 64 * 1024

/** The template for a forge in a commit; null: none, or several of which none is the default. A link is not followed. */
export async function findTemplate(
  git: Git,
  folder: string,
  { kind, commit }: { readonly kind: ForgeKind; readonly commit: string },
): Promise<Template | null> {
  const places = PLACES[kind]
  if (places === undefined) return null
  const listed = await git.run(folder, ['ls-tree', '-r', '-z', '--end-of-options', commit], {
    maxOutput: 64 * 1024 * 1024,
  })
  if (!listed.ok) return null
  const files = listed.value.split('\0').flatMap((line) => {
    const [, mode = '', id = '', path = ''] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
    return mode.startsWith('100') ? [{ id, path }] : []
  })
  for (const place of places) {
    const matching = files.filter(({ path }) => place.test(path))
    const chosen =
      matching.length === 1
        ? matching[0]
        : matching.find(({ path }) => /^default\.md$/i.test(posix.basename(path)))
    if (chosen === undefined) continue
    const text = await git.run(folder, ['cat-file', 'blob', chosen.id], { maxOutput: LARGEST })
    return text.ok ? { path: chosen.path, text: text.value } : null
  }
  return null
}
