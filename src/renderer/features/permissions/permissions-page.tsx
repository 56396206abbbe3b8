/** Settings › Permissions: a test of any call, the rules of all files, and the mode and trust of folders. */

import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import { Plus, Search } from 'lucide-react'
import { useContext, useEffect, useRef, useState } from 'react'
import type { WaitingText } from '../../../shared/kernel/waiting-text.ts'
import type { AgentCallExplanation } from '../../../shared/rules/call-explanation.ts'
import type { ListedEntry, ListedRules } from '../../../shared/rules/contract.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import { loadDefinitions, useSession } from '../../stores/session-store.ts'
import { approveRule, editRule, reloadRules, useSettingsFiles } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Section, SettingsFrame, SettingsSearchContext, SettingsTable } from '../../ui/setting-page.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { count } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { CallTest } from './call-test.tsx'
import { ModeAndTrust } from './mode-and-trust.tsx'
import { entryPlace, RuleForm } from './rule-form.tsx'
import { entryKey, RulePlace, RuleTable } from './rule-table.tsx'
import { coverText, LIST_TEXT } from './rule-text.ts'

export function PermissionsPage() {
  const folder = useSession((state) => state.folder)
  const rules = useSettingsFiles((state) => state.rules)
  useEffect(() => {
    const reload = () => void reloadRules()
    reload()
    // Another program may have changed the files.
    window.addEventListener('focus', reload)
    return () => window.removeEventListener('focus', reload)
  }, [])
  return (
    <SettingsFrame
      title="Permissions"
      sentence="A rule that denies counts before one that asks, and that before one that allows. Where no rule fits, the mode decides."
    >
      {folder === null ? (
        <EmptyState title="No folder is open">Open a folder to see the rules that hold in it.</EmptyState>
      ) : rules === null ? (
        <EmptyState title="Reading the rules">
          <Spinner />
        </EmptyState>
      ) : (
        <>
          <WaitingTexts key={`texts ${folder.path}`} folder={folder.path} />
          <Rules key={folder.path} folder={folder.path} rules={rules} />
        </>
      )}
      <SettingsTable>
        <ModeAndTrust />
      </SettingsTable>
    </SettingsFrame>
  )
}

/** The rules as rows of a search, each with the way to its page. */
export function RuleRows() {
  const entries = useSettingsFiles((state) => state.rules?.entries) ?? []
  const search = useContext(SettingsSearchContext)
  return (
    <Section title="Rules">
      {entries.map((entry) => (
        <Row
          key={entryKey(entry)}
          title={entry.text}
          hint={`${LIST_TEXT[entry.list].title} · ${entry.unused ?? coverText(entry)}`}
          words={`rule ${entry.where}`}
          place={<RulePlace entry={entry} />}
        >
          <Button aria-label={`Show rules: ${entry.text}`} onClick={() => search?.onShowPage()}>
            Show
          </Button>
        </Row>
      ))}
    </Section>
  )
}

type Kind = 'all' | 'deny' | 'ask' | 'allow'
type Place = 'all' | 'managed' | 'local' | 'project' | 'mine'

const PLACES: readonly { readonly value: Place; readonly label: string }[] = [
  { value: 'all', label: 'Every source' },
  { value: 'managed', label: 'Managed' },
  { value: 'local', label: 'Local' },
  { value: 'project', label: 'Project' },
  { value: 'mine', label: 'User' },
]

const MINE: ReadonlySet<string> = new Set(['own', 'user', 'saved', 'command-line'])

function Rules({ folder, rules }: { readonly folder: string; readonly rules: ListedRules }) {
  const [result, setResult] = useState<AgentCallExplanation | null>(null)
  const [filter, setFilter] = useState('')
  const [kind, setKind] = useState<Kind>('all')
  const [place, setPlace] = useState<Place>('all')
  /** The edited entry; `new`: the form adds one; null: the form is closed. */
  const [edited, setEdited] = useState<ListedEntry | 'new' | null>(null)
  const filterField = useRef<HTMLInputElement>(null)
  const wanted = filter.trim().toLowerCase()
  const { entries, files, problems } = rules
  const amountOf = (one: Kind) =>
    entries.filter(({ list }) => (one === 'all' ? list !== 'additionalDirectories' : list === one)).length
  const shown = entries.filter(
    (entry) =>
      (kind === 'all' || entry.list === kind) &&
      (place === 'all' || (place === 'mine' ? MINE.has(entry.source) : entry.source === place)) &&
      `${entry.text} ${entry.where}`.toLowerCase().includes(wanted),
  )
  const remove = async (entry: ListedEntry) => {
    const from = entryPlace(entry)
    if (from === null) return
    const problem = await editRule(folder, { from, to: null })
    if (problem !== null) return showNotice({ level: 'error', text: problem })
    // The pressed button is gone.
    filterField.current?.focus()
    const to = from.source === 'saved' ? null : { ...from, source: from.source }
    showNotice({
      level: 'info',
      text: `Removed ${entry.text} from ${entry.where}.`,
      ...(to && {
        action: {
          label: 'Undo',
          run: () =>
            void editRule(folder, { from: null, to }).then(
              (failed) => failed !== null && showNotice({ level: 'error', text: failed }),
            ),
        },
      }),
    })
  }
  const approve = async ({ list, text }: ListedEntry) => {
    if (list !== 'allow' && list !== 'additionalDirectories') return
    const problem = await approveRule(folder, { list, text })
    if (problem !== null) return showNotice({ level: 'error', text: problem })
    filterField.current?.focus()
    showNotice({ level: 'info', text: `${text} counts from now on.` })
  }
  return (
    <>
      <CallTest folder={folder} result={result} onResult={setResult} />
      <div className="flex flex-wrap items-center gap-2">
        <label className="flex h-7 min-w-0 max-w-44 flex-[1_1_7rem] items-center gap-2 rounded-[6px] border border-line bg-bg-1 px-2 text-fg-2 focus-within:border-fg-3">
          <Search size={13} strokeWidth={1.75} aria-hidden="true" />
          <input
            ref={filterField}
            aria-label="Filter rules"
            placeholder={`Filter ${count(amountOf('all'), 'rule')}`}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            className="min-w-0 flex-1 bg-transparent text-fg-0 text-sm outline-none placeholder:text-fg-2"
          />
        </label>
        <Segmented
          label="Lists"
          value={kind}
          onChange={setKind}
          options={(['all', 'deny', 'ask', 'allow'] as const).map((value) => ({
            value,
            label: value === 'all' ? 'All' : `${LIST_TEXT[value].title} ${amountOf(value)}`,
          }))}
        />
        <Segmented label="Sources" value={place} onChange={setPlace} options={PLACES} />
        <Button className="ml-auto" onClick={() => setEdited('new')}>
          <Plus size={13} strokeWidth={2} aria-hidden="true" /> Add a rule…
        </Button>
      </div>
      <RuleTable
        entries={shown}
        named={new Set(namedIn(result, entries))}
        onEdit={setEdited}
        onRemove={(entry) => void remove(entry)}
        onApprove={(entry) => void approve(entry)}
      />
      {shown.length === 0 && (
        <p className="text-fg-2 text-sm">
          {entries.length === 0
            ? 'No rules yet. “Always allow” in a request saves one, and settings files may hold others.'
            : 'No rule matches.'}
        </p>
      )}
      {problems.length > 0 && (
        <section aria-label="Ignored in settings files" className="grid gap-1 text-sm">
          <h2 className="font-medium text-fg-0">Ignored in settings files</h2>
          <ul className="grid gap-0.5 text-fg-1" data-selectable="">
            {problems.map((problem) => (
              <li key={problem} className="wrap-anywhere">
                <VisibleText>{problem}</VisibleText>
              </li>
            ))}
          </ul>
        </section>
      )}
      {edited !== null && (
        <RuleForm
          folder={folder}
          entry={edited === 'new' ? null : edited}
          files={files}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  )
}

/** The rules that the answer names, also those of the parts. */
function namedIn(result: AgentCallExplanation | null, entries: readonly ListedEntry[]): readonly string[] {
  if (result === null) return []
  const rules = [result, ...result.parts].flatMap((call) => call.rules)
  return entries
    .filter((entry) => rules.some(({ text, where }) => text === entry.text && where === entry.where))
    .map(entryKey)
}

/** Texts that agents are told, and that changed since the user last saw them: each difference, with its approval. */
function WaitingTexts({ folder }: { readonly folder: string }) {
  const [texts, setTexts] = useState<readonly WaitingText[]>([])
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    let isOver = false
    const load = () =>
      void command('texts.waiting', { folder }).then((answer) => {
        if (!isOver && answer.ok) setTexts(answer.value)
      })
    load()
    // Another program may have changed the files.
    window.addEventListener('focus', load)
    return () => {
      isOver = true
      window.removeEventListener('focus', load)
    }
  }, [folder])
  if (texts.length === 0) return null
  const approve = async ({ name, path, digest }: WaitingText) => {
    const answer = await command('texts.approve', { folder, path, digest })
    const now = answer.ok ? answer : await command('texts.waiting', { folder })
    // The pressed button is gone.
    section.current?.closest<HTMLElement>('main')?.focus()
    if (now.ok) setTexts(now.value)
    if (answer.ok) showNotice({ level: 'info', text: `Agents are told ${name} as it is from now on.` })
    else showFailure(answer.failure)
    await loadDefinitions(folder)
  }
  return (
    <section ref={section} aria-label="Changed instructions" className="grid gap-3">
      <header className="grid gap-1">
        <h2 className="font-medium text-fg-0 text-sm">Changed instructions</h2>
        <p className="text-fg-1 text-sm">
          These files changed since you last saw them, or are new. Agents are told the former text until you
          approve the change.
        </p>
      </header>
      {texts.map((text) => (
        <article
          key={text.path}
          aria-label={text.name}
          className="grid gap-2.5 rounded-[6px] border border-line bg-needs-you/6 p-3 text-sm"
        >
          <h3 className="font-mono text-fg-0 text-xs wrap-anywhere">
            <VisibleText>{text.name}</VisibleText>
            {text.former === null && <span className="text-fg-2"> new</span>}
          </h3>
          <DiffView patch={patchOf(text)} label={`Changes of ${text.name}`} shownLines={60} />
          <Button className="justify-self-start" onClick={() => void approve(text)}>
            Approve {text.name}
          </Button>
        </article>
      ))}
    </section>
  )
}

/** A new text is shown as if all its lines were added. */
function patchOf({ former, text }: WaitingText): string {
  return formatPatch(structuredPatch('', '', former ?? '', text, '', '', { context: 4 }), OMIT_HEADERS)
}
