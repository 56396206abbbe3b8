/** Settings › Hooks: the hooks of the folder, those that wait for the user first, and their last runs. */
import { Plus, Search } from 'lucide-react'
import { useContext, useEffect, useState } from 'react'
import { type HookEntry, hookTitle } from '../../../shared/hooks/hooks.ts'
import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { Dot } from '../../ui/dot.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Section, SettingsFrame, SettingsSearchContext, SettingsTable } from '../../ui/setting-page.tsx'
import { FilePlace, Row } from '../../ui/setting-row.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Switch } from '../../ui/switch.tsx'
import { count } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { AddHook } from './add-hook.tsx'
import { HookRow } from './hook-row.tsx'
import {
  changeOf,
  GROUPS,
  groupOf,
  HOOK_SOURCE_TEXT,
  type HookGroup,
  hookDefinitionText,
  hookPlace,
  STATE_TEXT,
} from './hook-text.ts'
import { decideHook, isWaiting, reloadHooks, useHooks } from './hooks-store.ts'

export function HooksSettings() {
  const folder = useSession((state) => state.folder)
  const state = useHooks((store) => store.state)
  const failure = useHooks((store) => store.failure)
  const [isAdding, setAdding] = useState(false)
  useEffect(reloadHooks, [])
  const entries = state?.entries ?? []
  return (
    <SettingsFrame
      title="Hooks"
      actions={
        <Button disabled={folder === null} onClick={() => setAdding(true)}>
          <Plus size={13} strokeWidth={2} aria-hidden="true" /> Add a hook…
        </Button>
      }
      sentence="Commands, addresses and questions to a model, used when something happens. Those of a project count only in a folder that you trust, and only as you approved them."
    >
      {isAdding && <AddHook onClose={() => setAdding(false)} />}
      {entries.filter(isWaiting).map((entry) => (
        <WaitingHook key={entry.id} entry={entry} />
      ))}
      {state?.problems.map((problem) => (
        <p key={problem} className="text-bad text-sm wrap-anywhere" data-selectable="">
          <VisibleText>{problem}</VisibleText>
        </p>
      ))}
      {entries.length > 0 ? (
        <HookTable entries={entries} />
      ) : (
        <EmptyState
          title={failure === null ? titleFor(state !== null, folder !== null) : 'Hooks can’t be listed'}
        >
          {failure ?? (state === null && folder !== null ? <Spinner /> : ADD)}
        </EmptyState>
      )}
      {entries.length > 0 && (
        <p className="text-fg-2 text-xs">
          {ADD} {WORDS}
        </p>
      )}
      <SettingsTable>
        <HookAnswers />
      </SettingsTable>
    </SettingsFrame>
  )
}

/** What an answer of a hook may do. */
export function HookAnswers() {
  const may = useSession((state) => state.settings.hooksMayAllow)
  const [error, change] = useChange()
  return (
    <Section title="Answers of hooks">
      <Row
        title="Hooks may allow calls"
        name="hooksMayAllow"
        hint="An “allow” of your own hook answers a request that a rule could answer. Hooks of projects, plugins and agents never do."
        error={error}
      >
        <Switch
          label="Hooks may allow calls"
          checked={may}
          onChange={(on) => void change({ hooksMayAllow: on })}
        />
      </Row>
    </Section>
  )
}

/** The hooks as rows of a search, each with the way to its page. */
export function HookRows() {
  const entries = useHooks((store) => store.state?.entries) ?? []
  const search = useContext(SettingsSearchContext)
  return (
    <Section title="Hooks">
      {entries.map(({ id, definition, source, sourceText, file, line, state }) => (
        <Row
          key={id}
          title={`${definition.event}${definition.matcher === '' ? '' : `, ${definition.matcher}`}`}
          hint={`${STATE_TEXT[state]} · ${hookTitle(definition)}`}
          words={`hook ${sourceText} ${definition.run}`}
          place={<FilePlace source={HOOK_SOURCE_TEXT[source]} file={file} line={line ?? null} />}
        >
          <Button aria-label={`Show hooks: ${hookTitle(definition)}`} onClick={() => search?.onShowPage()}>
            Show
          </Button>
        </Row>
      ))}
    </Section>
  )
}

const ADD = 'A hook can also be written into "hooks" of a settings file, or into an agent’s definition.'
const WORDS =
  'Blocked: the hook refused the call, and the agent is told why. Took too long: its processes were ended, and the work goes on unless the hook fails closed.'

function titleFor(isLoaded: boolean, hasFolder: boolean): string {
  if (!hasFolder) return 'No folder is open'
  return isLoaded ? 'No hooks here' : 'Reading the hooks'
}

/** A hook that does not run until the user decides, with what it would run. */
function WaitingHook({ entry }: { readonly entry: HookEntry }) {
  const busy = useHooks((state) => state.busy.has(entry.id))
  const { definition, state } = entry
  const title = `${definition.event}${definition.matcher === '' ? '' : `, ${definition.matcher}`}`
  return (
    <section
      aria-label={`Approval of ${title}`}
      className="grid gap-2.5 rounded-md border border-needs-you/50 bg-needs-you/6 p-3 text-sm"
    >
      <h2 className="flex flex-wrap items-center gap-2 font-semibold text-fg-0 text-md">
        <Dot status="needs-you" />
        {state === 'new' ? 'A new hook' : 'A hook is not the one you approved'}
        <code className="font-mono font-normal text-fg-1 text-xs">
          {title} · {hookPlace(entry)}
        </code>
      </h2>
      {state === 'changed' ? (
        <DiffView patch={changeOf(entry)} label={`Changes of the hook ${title}`} />
      ) : (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          data-selectable=""
          aria-label={`Definition of the hook ${title}`}
          className="max-h-72 overflow-auto whitespace-pre-wrap rounded-[6px] bg-bg-0 px-2.5 py-2 font-mono text-[0.71875rem] text-fg-1 leading-[1.55] wrap-anywhere"
        >
          <VisibleText>{hookDefinitionText(definition)}</VisibleText>
        </section>
      )}
      <div className="flex flex-wrap gap-1.5">
        <Button disabled={busy} focusableWhenDisabled onClick={() => void decideHook(entry, 'approved')}>
          Approve
        </Button>
        <Button disabled={busy} focusableWhenDisabled onClick={() => void decideHook(entry, 'refused')}>
          Keep off
        </Button>
      </div>
    </section>
  )
}

function HookTable({ entries }: { readonly entries: readonly HookEntry[] }) {
  const [filter, setFilter] = useState('')
  const [group, setGroup] = useState<HookGroup>('all')
  const wanted = filter.trim().toLowerCase()
  const shown = entries.filter(
    (entry) =>
      (group === 'all' || groupOf(entry) === group) &&
      `${entry.definition.event} ${entry.definition.matcher} ${entry.definition.run} ${entry.sourceText}`
        .toLowerCase()
        .includes(wanted),
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <label className="flex h-7 w-48 items-center gap-2 rounded-[6px] border border-line bg-bg-1 px-2 text-fg-2 focus-within:border-fg-3">
          <Search size={13} strokeWidth={1.75} aria-hidden="true" />
          <input
            aria-label="Filter hooks"
            placeholder={`Filter ${count(entries.length, 'hook')}`}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            className="min-w-0 flex-1 bg-transparent text-fg-0 text-sm outline-none placeholder:text-fg-2"
          />
        </label>
        <Segmented
          label="Events"
          value={group}
          onChange={setGroup}
          options={GROUPS.map(({ value, label }) => {
            const amount = entries.filter((entry) => value === 'all' || groupOf(entry) === value).length
            return { value, label: value === 'all' ? label : `${label} ${amount}` }
          })}
        />
      </div>
      {shown.length === 0 ? (
        <p className="text-fg-2 text-sm">No hook matches.</p>
      ) : (
        <div className="overflow-x-auto rounded-md border border-line">
          <table className="w-full min-w-[46rem] border-collapse text-left text-sm">
            <thead className="text-fg-2 text-xs">
              <tr className="border-line border-b bg-bg-1">
                <th scope="col" className="w-8">
                  <span className="sr-only">Details</span>
                </th>
                {['When', 'For', 'Runs', 'From', 'Last run', 'Took', 'Result'].map((title) => (
                  <th key={title} scope="col" className="px-2 py-1.5 font-normal">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            {shown.map((entry) => (
              <HookRow key={entry.id} entry={entry} />
            ))}
          </table>
        </div>
      )}
    </>
  )
}
