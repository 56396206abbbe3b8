/** The dialog with the text of a case: a new one, one of a file, or one made from an agent's work. */
import { CircleAlert, Plus } from 'lucide-react'
import { type ComponentType, useEffect, useMemo, useState } from 'react'
import { isSeq, parseDocument } from 'yaml'
import { readCaseFile } from '../../../shared/agent-tests/read-case-file.ts'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { showNotice, useDialogCommand } from '../../stores/overlay-store.ts'
import { Button } from '../../ui/button.tsx'
import { ChipButton } from '../../ui/chip.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Menu, MenuItem, SelectMenu } from '../../ui/menu.tsx'
import { Spinner } from '../../ui/spinner.tsx'

/** What is edited. */
export type CaseSource =
  | { readonly kind: 'new'; readonly agent: string }
  | { readonly kind: 'file'; readonly agent: string; readonly file: string; readonly line: number | null }
  | { readonly kind: 'agent'; readonly conversationId: string; readonly agentId: string }

/** An editor of YAML. */
export interface CaseTextProps {
  readonly label: string
  readonly text: string
  /** 1-based lines. */
  readonly problems: readonly { readonly line: number | null; readonly message: string }[]
  /** The line that is shown at first. */
  readonly line: number | null
  readonly onChange: (text: string) => void
}

interface CaseEditorProps {
  readonly folder: string
  readonly source: CaseSource
  /** The agents that a case can test. */
  readonly agents: readonly string[]
  readonly editor: ComponentType<CaseTextProps>
  readonly onClose: () => void
  /** Called with the file of the saved case. */
  readonly onSaved: (agent: string, file: string) => void
}

/** Texts of dialogs that were closed without saving, by what they are of: they come back. */
const unsaved = new Map<string, string>()

const keyOf = (source: CaseSource): string =>
  source.kind === 'file'
    ? source.file
    : source.kind === 'new'
      ? `new ${source.agent}`
      : `${source.conversationId} ${source.agentId}`

export function CaseEditor({ folder, source, agents, editor: Editor, onClose, onSaved }: CaseEditorProps) {
  const loaded = useFirstText(folder, source)
  const [written, setWritten] = useState<string | null>(
    () => unsaved.get(`${folder} ${keyOf(source)}`) ?? null,
  )
  const [chosen, setChosen] = useState<string | null>(null)
  const { busy, failure, run } = useDialogCommand()
  const text = written ?? loaded.text
  const agent = chosen ?? loaded.agent
  const file = source.kind === 'file' ? source.file : null
  const problems = useMemo(
    () => (text === null ? [] : readCaseFile(text, file ?? `.claude/agent-tests/${agent}/new.yaml`).problems),
    [text, file, agent],
  )
  const change = (next: string) => {
    setWritten(next)
    unsaved.set(`${folder} ${keyOf(source)}`, next)
  }
  const save = async () => {
    if (text === null) return
    const answer = await run(() => command('agentTests.saveCase', { folder, agent, file, text }))
    if (answer?.ok !== true || answer.value.problems.length > 0) return
    unsaved.delete(`${folder} ${keyOf(source)}`)
    onSaved(agent, answer.value.file)
    onClose()
  }
  const isReady = text !== null && problems.length === 0 && agent !== ''
  return (
    <Dialog
      open
      flush
      onClose={onClose}
      width={760}
      title={source.kind === 'file' ? 'Edit case' : source.kind === 'agent' ? 'Save as a case' : 'New case'}
      description={
        source.kind === 'agent'
          ? 'The task, the commit and what the agent did are filled in. Keep the checks that show whether the work is right.'
          : 'A task, where it starts, and checks that must all be true.'
      }
      actions={
        <>
          <Button size="md" onClick={onClose}>
            Cancel
          </Button>
          <Button
            size="md"
            variant="primary"
            disabled={!isReady || busy}
            focusableWhenDisabled
            onClick={() => void save()}
          >
            {busy && <Spinner size={11} />}
            {source.kind === 'file' ? 'Save' : 'Add case'}
          </Button>
        </>
      }
    >
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-line border-b px-4 py-1.5 text-fg-2 text-sm">
        {source.kind === 'file' ? (
          <span className="min-w-0 truncate font-mono text-xs" title={source.file}>
            {source.file}
          </span>
        ) : (
          <>
            <span aria-hidden="true">Tests</span>
            <SelectMenu
              label="Agent that is tested"
              value={agent}
              options={optionsOf(agents, agent)}
              onChange={setChosen}
            />
          </>
        )}
        <span className="flex-1" />
        <AddCheckMenu
          disabled={text === null}
          onAdd={(check) => text !== null && change(withMoreCheck(text, check))}
        />
      </div>
      <div className="min-h-0 flex-1">
        {text === null ? (
          <p
            className="flex items-center gap-2 p-4 text-fg-2 text-sm"
            role={loaded.failure === null ? 'status' : 'alert'}
          >
            {loaded.failure ?? (
              <>
                <Spinner /> Loading
              </>
            )}
          </p>
        ) : (
          <Editor
            label="Text of the case"
            text={text}
            problems={problems}
            line={source.kind === 'file' ? source.line : null}
            onChange={change}
          />
        )}
      </div>
      <ul
        aria-label="Problems"
        aria-live="polite"
        className="grid max-h-28 shrink-0 gap-1 overflow-y-auto border-line border-t px-4 py-2 text-sm"
      >
        {failure !== null && <ProblemLine message={failure.message} line={null} />}
        {problems.map(({ line, message }) => (
          <ProblemLine key={`${line} ${message}`} line={line} message={message} />
        ))}
        {failure === null && problems.length === 0 && text !== null && (
          <li className="text-fg-2">No problems.</li>
        )}
      </ul>
    </Dialog>
  )
}

function ProblemLine({ line, message }: { readonly line: number | null; readonly message: string }) {
  return (
    <li className="flex items-start gap-2 text-fg-1">
      <CircleAlert size={13} aria-hidden="true" className="mt-[3px] shrink-0 text-bad" />
      <span className="wrap-anywhere" data-selectable="">
        {line !== null && <span className="mr-1.5 font-mono text-fg-2 text-xs">{line}</span>}
        {message}
      </span>
    </li>
  )
}

const optionsOf = (agents: readonly string[], agent: string) =>
  [...new Set([...agents, ...(agent === '' ? [] : [agent])])].map((name) => ({ value: name, label: name }))

function AddCheckMenu({
  disabled,
  onAdd,
}: {
  readonly disabled: boolean
  readonly onAdd: (check: object) => void
}) {
  return (
    <Menu
      align="end"
      trigger={
        <ChipButton className="h-[26px]" icon={Plus} disabled={disabled}>
          Add check
        </ChipButton>
      }
    >
      {CHECK_SAMPLES.map(({ title, check }) => (
        <MenuItem key={title} onSelect={() => onAdd(check)}>
          {title}
        </MenuItem>
      ))}
    </Menu>
  )
}

interface FirstText {
  /** Empty: not known yet. */
  readonly agent: string
  readonly text: string | null
  readonly failure: string | null
}

/** The text that is edited, once it is read. */
function useFirstText(folder: string, source: CaseSource): FirstText {
  const agent = source.kind === 'agent' ? '' : source.agent
  const [first, setFirst] = useState<FirstText>({ agent, text: null, failure: null })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dialog is of one source while it is open
  useEffect(() => {
    let isClosed = false
    void readFirst(folder, source).then((answer) => {
      if (isClosed) return
      setFirst(
        answer.ok
          ? { ...answer.value, failure: null }
          : { agent, text: null, failure: answer.failure.message },
      )
    })
    return () => {
      isClosed = true
    }
  }, [folder])
  return first
}

async function readFirst(
  folder: string,
  source: CaseSource,
): Promise<Answer<{ readonly agent: string; readonly text: string }>> {
  if (source.kind === 'agent') {
    const { conversationId, agentId } = source
    return command('agentTests.draftCase', { conversationId, agentId })
  }
  const { agent } = source
  const file = source.kind === 'file' ? source.file : null
  const answer = await command('agentTests.readCase', { folder, agent, file })
  return answer.ok ? { ok: true, value: { agent, text: answer.value.text } } : answer
}

/** Moves a case to the trash, and offers to bring it back. */
export async function deleteCase(folder: string, { agent, file, name }: DeletedCase): Promise<void> {
  const kept = await command('agentTests.readCase', { folder, agent, file })
  const answer = await command('agentTests.deleteCase', { folder, file })
  if (!answer.ok) return showNotice({ level: 'error', text: answer.failure.message })
  const restore = async (text: string) => {
    const saved = await command('agentTests.saveCase', { folder, agent, file, text })
    if (!saved.ok) showNotice({ level: 'error', text: saved.failure.message })
  }
  showNotice({
    level: 'info',
    text: `Deleted the case “${name}”.`,
    ...(kept.ok && { action: { label: 'Undo', run: () => void restore(kept.value.text) } }),
  })
}

interface DeletedCase {
  readonly agent: string
  readonly file: string
  readonly name: string
}

/** The checks that can be added, with content to replace. */
const CHECK_SAMPLES: readonly { readonly title: string; readonly check: object }[] = [
  { title: 'Report contains…', check: { 'report-contains': 'src/file.ts:10' } },
  { title: 'Report lacks…', check: { 'report-lacks': 'TODO' } },
  { title: 'Report matches…', check: { 'report-matches': '/file\\.ts:\\d+/i' } },
  { title: 'Report is JSON…', check: { 'report-schema': { type: 'object', required: ['problems'] } } },
  { title: 'Files changed…', check: { 'files-changed': 'src/file.ts' } },
  { title: 'Files unchanged…', check: { 'files-unchanged': '**' } },
  { title: 'Command passes…', check: { command: 'npm test' } },
  { title: 'Tools not used…', check: { 'tools-not-used': 'Bash' } },
  { title: 'No permission request', check: { 'no-request': 'any' } },
  { title: 'Opinion of a model…', check: { opinion: 'The report names the cause, not only the place.' } },
]

/** The text with one more check at the end of the list. A text that is not YAML gets it at its end. */
function withMoreCheck(text: string, check: object): string {
  const document = parseDocument(text, { logLevel: 'silent' })
  const checks = document.errors.length === 0 ? document.get('checks') : null
  if (document.errors.length === 0 && isSeq(checks)) {
    document.addIn(['checks'], check)
    return document.toString({ lineWidth: 0 })
  }
  const own = parseDocument('checks: []\n')
  own.setIn(['checks'], [check])
  const lines = own.toString({ lineWidth: 0 })
  const begin = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return document.errors.length === 0 && !document.has('checks')
    ? `${begin}${lines}`
    : `${begin}${lines.replace(/^checks:\n/, '')}`
}
