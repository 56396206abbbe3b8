/** The line that the main agent reads about an agent, and the agents it shadows. */
import type { CatalogEntry } from '../../../../shared/agent-catalog.ts'
import { VisibleText } from '../../../ui/visible-text.tsx'
import { selectDefinition } from '../open-definition.ts'
import type { Announcement } from './announcement.ts'

export function AnnouncementPanel({ announcement }: { readonly announcement: Announcement }) {
  const { line, obstacle, shadows, shadowedBy } = announcement
  return (
    <div className="grid gap-1.5">
      {line !== null && (
        <p data-selectable="" className="whitespace-pre-wrap break-words font-mono text-fg-1 text-xs">
          <VisibleText>{line}</VisibleText>
        </p>
      )}
      {obstacle !== null && <p className="text-fg-1">{obstacle}</p>}
      {shadowedBy !== null && (
        <p className="text-fg-2">
          shadowed by <EntryLink entry={shadowedBy} />
        </p>
      )}
      {shadows.map((entry) => (
        <p key={entry.id} className="text-fg-2">
          shadows <EntryLink entry={entry} />
        </p>
      ))}
    </div>
  )
}

const SOURCE_NAMES = {
  'built-in': 'built-in',
  plugin: 'plugin',
  user: 'user',
  project: 'project',
  'command-line': 'command-line',
  managed: 'managed',
} as const

function EntryLink({ entry }: { readonly entry: CatalogEntry }) {
  return (
    <button
      type="button"
      title={entry.file ?? entry.path}
      onClick={() => void selectDefinition(entry.id)}
      className="inline rounded-xs text-left text-fg-1 underline decoration-line-strong underline-offset-2 hover:text-fg-0"
    >
      the {SOURCE_NAMES[entry.source]} agent of the same name
    </button>
  )
}
