/** What an import of servers and rules of other programs would write, before it is written. */
import { importText, type SetupImport } from '../../../shared/setup/setup.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { count } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { closeImport, importShown, useSetup } from './setup-store.ts'

/** Open while there is a preview. Nothing is written before the user presses Import. */
export function ImportDialog() {
  const preview = useSetup((state) => state.preview)
  if (preview === null) return null
  const { servers, rules, notes } = preview.content
  const amounts = importText({ servers: servers.length, rules: rules.length })
  return (
    <Dialog
      open
      onClose={closeImport}
      width={720}
      title={`Import ${amounts}`}
      description="Only these entries and files are written. The other program’s files stay as they are, and the import can be undone."
      className="top-[9vh] max-h-[82vh]"
      actions={
        <>
          <Button size="md" onClick={closeImport}>
            Cancel
          </Button>
          <Button size="md" variant="primary" onClick={() => void importShown()}>
            Import
          </Button>
        </>
      }
    >
      <ul className="grid gap-3" aria-label="What will be written">
        {servers.map((server) => (
          <Entry
            key={`server ${server.name}`}
            title={server.name}
            hint={server.place === 'user' ? 'MCP server, for every project' : 'MCP server, for this project'}
            text={server.definition}
          />
        ))}
        {rules.map((rule) => (
          <Entry
            key={`rule ${rule.file}`}
            title={rule.shown}
            hint={ruleHint(rule)}
            text={rule.text.trimEnd()}
          />
        ))}
      </ul>
      {notes.length > 0 && (
        <section aria-label="Left out" className="pt-3 text-fg-2 text-sm" data-selectable="">
          <h3 className="font-medium text-fg-1">{count(notes.length, 'entry', 'entries')} left out</h3>
          <ul>
            {notes.map((note) => (
              <li key={note} className="wrap-anywhere">
                <VisibleText>{note}</VisibleText>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Dialog>
  )
}

const ruleHint = ({ from, paths }: SetupImport['rules'][number]): string =>
  `from ${from}, for ${paths === null ? 'every file' : paths.join(', ')}`

interface EntryProps {
  readonly title: string
  readonly hint: string
  readonly text: string
}

function Entry({ title, hint, text }: EntryProps) {
  return (
    <li className="grid gap-1">
      <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-sm">
        <code className="wrap-anywhere font-mono text-fg-0">
          <VisibleText>{title}</VisibleText>
        </code>
        <span className="wrap-anywhere text-fg-2">
          <VisibleText>{hint}</VisibleText>
        </span>
      </p>
      {/* Focusable, so that the keyboard can scroll it. */}
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
        tabIndex={0}
        aria-label={`Text of ${title}`}
        className="max-h-44 overflow-auto rounded-md border border-line bg-bg-0 px-2.5 py-1.5"
        data-selectable=""
      >
        <pre className="wrap-anywhere whitespace-pre-wrap font-mono text-fg-1 text-xs">
          <VisibleText>{text}</VisibleText>
        </pre>
      </section>
    </li>
  )
}
