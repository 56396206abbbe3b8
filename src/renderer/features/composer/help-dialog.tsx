import { type ReactNode, useState } from 'react'
import { KEY_ACTIONS } from '../../../shared/commands/key-bindings.ts'
import { KEY_MAP } from '../../../shared/commands/key-map.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd, shortcutText } from '../../ui/kbd.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import { SLASH_COMMANDS } from './slash-commands.ts'

interface HelpLine {
  /** Keys, a command or a prefix. */
  readonly signs: readonly string[]
  readonly text: string
}

interface HelpSection {
  readonly title: string
  readonly isKeys: boolean
  readonly lines: readonly HelpLine[]
}

const PREFIXES: readonly HelpLine[] = [
  { signs: ['@'], text: 'an agent; at the start of a message: its recipient; or a file, which is attached' },
  { signs: ['#'], text: 'the path of a file; you can also drop files and paste images' },
  { signs: ['!'], text: 'a command that you run in the folder yourself, at the start of a message' },
  { signs: ['/'], text: 'a command, at the start of a message' },
]

const OTHER_SECTIONS: readonly HelpSection[] = [
  {
    title: 'Commands',
    isKeys: false,
    lines: SLASH_COMMANDS.map(({ name, hint }) => ({ signs: [`/${name}`], text: hint })),
  },
  { title: 'Prefixes', isKeys: false, lines: PREFIXES },
]

/** The keys as they are now; an action without keys has no line. */
function keySections(keysOf: ReturnType<typeof useKeysOf>): readonly HelpSection[] {
  return KEY_MAP.map(({ place, lines }) => ({
    title: place,
    isKeys: true,
    lines: [
      ...lines.flatMap(({ id, keys, title }) => {
        const signs = id === undefined ? keys : [keysOf(id) ?? []].flat()
        return signs.length === 0 ? [] : [{ signs, text: title }]
      }),
      // Commands that have keys only by the user's choice.
      ...KEY_ACTIONS.flatMap((action) => {
        const keys = action.place === place && action.keys === null ? keysOf(action.id) : undefined
        return keys === undefined ? [] : [{ signs: [keys], text: action.title }]
      }),
    ],
  }))
}

/** Keys and commands, searchable. */
export function HelpDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keys and commands" width={760}>
      {open && <Keys />}
    </Dialog>
  )
}

function Keys() {
  const [query, setQuery] = useState('')
  const keysOf = useKeysOf()
  const sections = [...keySections(keysOf), ...OTHER_SECTIONS]
    .map((section) => ({
      ...section,
      lines: section.lines.filter((line) => isFound(line, section.title, query)),
    }))
    .filter(({ lines }) => lines.length > 0)
  return (
    <>
      <div className="sticky top-0 z-10 bg-bg-1 pb-3">
        <input
          type="search"
          aria-label="Search keys and commands"
          placeholder="Search: “undo”, “Ctrl Z”, “review”…"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className={`${INPUT_CLASS} h-7 w-full text-sm`}
        />
      </div>
      {sections.length === 0 && (
        <p role="status" className="text-fg-2 text-sm">
          No key or command matches “{query}”.
        </p>
      )}
      <div className="columns-2 gap-x-8 text-sm">
        {sections.map((section) => (
          <Section key={section.title} {...section} />
        ))}
      </div>
    </>
  )
}

/** Whether each word of the query is part of a word of the line: of its keys, its text or its section. A letter is a key. */
function isFound({ signs, text }: HelpLine, title: string, query: string): boolean {
  const words = [...signs, ...signs.map(shortcutText), text, title].join(' ').toLowerCase().split(/\s+/)
  return query
    .toLowerCase()
    .split(/[\s+]+/)
    .filter((wanted) => wanted !== '')
    .every((wanted) => words.some((word) => word === wanted || (wanted.length > 1 && word.includes(wanted))))
}

function Section({ title, isKeys, lines }: HelpSection) {
  return (
    <section aria-label={title} className="mb-4">
      <h3 className="side-heading break-after-avoid pb-1.5">{title}</h3>
      <dl className="grid grid-cols-[8.5rem_1fr] gap-x-3 gap-y-1">
        {lines.map(({ signs, text }) => (
          <div
            key={`${signs.join()} ${text}`}
            className="col-span-2 grid break-inside-avoid grid-cols-subgrid"
          >
            <dt className="flex flex-wrap content-start items-center gap-1 text-fg-0">
              {signs.map(
                (sign): ReactNode =>
                  isKeys ? (
                    <Kbd key={sign} keys={sign} />
                  ) : (
                    <code key={sign} className="font-mono text-xs">
                      {sign}
                    </code>
                  ),
              )}
            </dt>
            <dd className="text-fg-1">{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
