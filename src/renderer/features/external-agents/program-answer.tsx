/** What the last action on a program brought: an offer to install, a question, a check, or why it failed. */
import { type KeyboardEvent, useEffect, useRef } from 'react'
import type {
  ProgramCheck,
  ProgramOffer,
  ProgramState,
} from '../../../shared/external-agents/known-program.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { Button } from '../../ui/button.tsx'
import { forget, install, remove, usePrograms } from './programs-store.ts'

export function ProgramAnswerView({ program }: { readonly program: ProgramState }) {
  const answer = usePrograms((state) => state.answers.get(program.id))
  if (answer === undefined || program.work !== null) return null
  switch (answer.kind) {
    case 'offer':
      return <Offer offer={answer.offer} title={program.title} />
    case 'remove':
      return <RemoveQuestion program={program} />
    case 'check':
      return <CheckView check={answer.check} title={program.title} />
    case 'failure':
      return (
        <div className="flex flex-col items-start gap-1.5">
          <p
            role="alert"
            data-selectable=""
            className="max-h-40 w-full overflow-y-auto whitespace-pre-wrap rounded-[5px] border border-bad/40 bg-bad/6 px-2.5 py-1.5 text-fg-1 wrap-anywhere"
          >
            {answer.message}
          </p>
          <Button onClick={() => forget(program.id)}>Dismiss</Button>
        </div>
      )
  }
}

function Offer({ offer, title }: { readonly offer: ProgramOffer; readonly title: string }) {
  const { id, former, problem, folder } = offer
  const facts = [
    ['Package', `${offer.package} ${offer.version}`],
    ['Published by', offer.publisher ?? 'unknown'],
    ['Size', sizeText(offer.bytes)],
    ['Goes to', folder],
  ] as const
  return (
    <Question
      label={`${former === null ? 'Install' : 'Update'} ${title}`}
      text={former === null ? `Install ${title} with npm?` : `Update ${title} from ${former} with npm?`}
      confirm={
        problem === null ? (
          <Button variant="primary" onClick={(event) => event.detail < 2 && void install(offer)}>
            {former === null ? 'Install' : 'Update'}
          </Button>
        ) : null
      }
      onCancel={() => forget(id)}
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5" data-selectable="">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-fg-2">{name}</dt>
            <dd className="break-words font-mono text-fg-0 text-xs leading-5">{makeVisible(value)}</dd>
          </div>
        ))}
      </dl>
      {problem !== null && (
        <p role="alert" className="text-bad" data-selectable="">
          {problem}
        </p>
      )}
    </Question>
  )
}

function RemoveQuestion({ program: { id, title, file } }: { readonly program: ProgramState }) {
  return (
    <Question
      label={`Remove ${title}`}
      text={`Remove what Troupe installed of ${title}? Its logins and settings stay.`}
      confirm={
        <Button variant="danger" onClick={() => void remove(id)}>
          Remove
        </Button>
      }
      onCancel={() => forget(id)}
    >
      {file !== null && <code className="break-all font-mono text-fg-2 text-xs">{file}</code>}
    </Question>
  )
}

interface QuestionProps {
  readonly label: string
  readonly text: string
  /** Null: it can't be confirmed. */
  readonly confirm: React.ReactNode
  readonly onCancel: () => void
  readonly children: React.ReactNode
}

/** Takes the focus, so that the next key answers it. Escape cancels the question and leaves the dialog open. */
function Question({ label, text, confirm, onCancel, children }: QuestionProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    event.stopPropagation()
    onCancel()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div
      ref={box}
      role="group"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="flex flex-col gap-2 rounded-[5px] border border-line-strong bg-bg-2 px-2.5 py-2 outline-none"
    >
      <p className="font-medium text-fg-0">{text}</p>
      {children}
      <div className="flex justify-end gap-1.5">
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
        {confirm}
      </div>
    </div>
  )
}

function CheckView({ check, title }: { readonly check: ProgramCheck; readonly title: string }) {
  const { name, version, ms, can, login } = check
  const called = [name ?? title, version].filter((part) => part !== null).join(' ')
  return (
    <div role="status" className="flex flex-col gap-1 text-fg-1" data-selectable="">
      <p>
        It answers as <span className="font-mono text-fg-0 text-xs">{makeVisible(called)}</span>, after{' '}
        {(ms / 1000).toFixed(1)} s.{' '}
        {can.resume ? 'It can resume its sessions' : 'It can’t resume its sessions'}
        {can.images ? ' and takes images.' : ', and takes no images.'}
      </p>
      {login === null ? (
        <p>No login is needed now.</p>
      ) : (
        <>
          <p className="font-medium text-fg-0">It needs a login. {makeVisible(login.message)}</p>
          {login.methods.length > 0 && (
            <p>
              It offers: {login.methods.map((method) => makeVisible(method.name)).join('; ')}. Start the
              agent: its panel then has these as buttons.
            </p>
          )}
        </>
      )}
    </div>
  )
}

/** "about 210 MB". */
function sizeText(bytes: number): string {
  const megabytes = bytes / 1_000_000
  const size = megabytes < 1 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${Math.round(megabytes)} MB`
  return `about ${size}`
}
