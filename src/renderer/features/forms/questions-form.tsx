/** One to four questions: a tab for each, its options, and a field for the user's own text. */
import { Check } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import type { FormContent, FormQuestion } from '../../../shared/forms/form.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import type { FormDraft, FormPartProps } from './form-parts.tsx'

export function QuestionsForm(props: FormPartProps<Extract<FormContent, { kind: 'questions' }>>) {
  const { form, draft, sending, send, decline, keys, leaveField } = props
  const { questions } = form
  const [shown, setShown] = useState(0)
  const [error, setError] = useState<string | null>(null)
  const own = useRef<HTMLInputElement>(null)
  const question = questions[Math.min(shown, questions.length - 1)]
  if (question === undefined) return null

  const show = (index: number) => {
    setError(null)
    setShown(Math.max(0, Math.min(questions.length - 1, index)))
  }
  /** The next question without an answer, after this one and then from the first; -1: none. */
  const nextOpen = (isOpen: (question: FormQuestion) => boolean) => {
    const order = questions.map((_, index) => (shown + 1 + index) % questions.length)
    return order.find((index) => isOpen(questions[index] ?? question)) ?? -1
  }
  const choose = (label: string) => {
    setError(null)
    const chosen = chosenIn(draft, question)
    if (question.multiSelect) {
      const isIn = chosen.includes(label)
      draft.set(keyOf(question), isIn ? chosen.filter((each) => each !== label) : [...chosen, label])
      return
    }
    draft.set(keyOf(question), [label])
    draft.set(ownKeyOf(question), '')
    const next = nextOpen((other) => other !== question && answersTo(draft, other).length === 0)
    if (next >= 0) show(next)
  }
  const continueForm = () => {
    const open = nextOpen((other) => answersTo(draft, other).length === 0)
    if (open < 0) {
      const entries = questions.map((each): [string, unknown] => {
        const answers = answersTo(draft, each)
        return [each.question, each.multiSelect ? answers : answers[0]]
      })
      return send(Object.fromEntries(entries))
    }
    if (answersTo(draft, question).length === 0) setError('Choose an option, or write your own answer.')
    else show(open)
  }
  keys.current = (event) => {
    const number = /^[1-9]$/.test(event.key) ? Number(event.key) : 0
    const option = question.options[number - 1]
    if (option !== undefined) choose(option.label)
    else if (number === question.options.length + 1) own.current?.focus()
    else if (event.key === 'Enter' && !event.shiftKey) continueForm()
    else if (event.key === 'ArrowRight' && !isOption(event)) show(shown + 1)
    else if (event.key === 'ArrowLeft' && !isOption(event)) show(shown - 1)
    else return false
    return true
  }
  const isLast = nextOpen((other) => other !== question && answersTo(draft, other).length === 0) < 0

  return (
    <>
      {questions.length > 1 && <Tabs questions={questions} draft={draft} shown={shown} onShow={show} />}
      <Question
        key={question.question}
        question={question}
        draft={draft}
        ownField={own}
        onChoose={choose}
        onSend={continueForm}
        onLeave={leaveField}
      />
      {error !== null && (
        <p role="alert" className="shrink-0 text-bad">
          {error}
        </p>
      )}
      <div className="flex shrink-0 flex-wrap gap-1.5 pt-0.5">
        <Button disabled={sending} onClick={continueForm}>
          {isLast ? 'Send' : 'Next'} <Kbd keys="Enter" />
        </Button>
        <Button disabled={sending} onClick={decline}>
          Decline… <Kbd keys="D" />
        </Button>
      </div>
    </>
  )
}

interface TabsProps {
  readonly questions: readonly FormQuestion[]
  readonly draft: FormDraft
  readonly shown: number
  readonly onShow: (index: number) => void
}

function Tabs({ questions, draft, shown, onShow }: TabsProps) {
  return (
    <fieldset className="flex shrink-0 flex-wrap gap-1" aria-label="Questions">
      {questions.map((each, index) => {
        const isAnswered = answersTo(draft, each).length > 0
        return (
          <button
            key={each.question}
            type="button"
            aria-current={index === shown}
            onClick={() => onShow(index)}
            className={classNames(
              'inline-flex h-6 max-w-48 items-center gap-1 rounded-[6px] px-2 text-xs',
              index === shown ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
            )}
          >
            {isAnswered && <Check size={12} aria-label="Answered:" />}
            <span className="truncate">
              <VisibleText>{each.header || `Question ${index + 1}`}</VisibleText>
            </span>
          </button>
        )
      })}
    </fieldset>
  )
}

interface QuestionProps {
  readonly question: FormQuestion
  readonly draft: FormDraft
  readonly ownField: React.RefObject<HTMLInputElement | null>
  readonly onChoose: (label: string) => void
  readonly onSend: () => void
  readonly onLeave: () => void
}

function Question({ question, draft, ownField, onChoose, onSend, onLeave }: QuestionProps) {
  const { options, multiSelect } = question
  const group = useId()
  const chosen = chosenIn(draft, question)
  const list = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    // The tab's question replaced another one: its first lines are shown.
    list.current?.scrollTo?.({ top: 0 })
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    event.stopPropagation()
    onLeave()
    onSend()
  }
  return (
    <fieldset
      ref={list}
      aria-labelledby={`${group}-question`}
      className="flex max-h-[44vh] min-h-0 flex-col gap-px overflow-y-auto"
    >
      <p id={`${group}-question`} className="pb-1 font-medium text-fg-0 wrap-anywhere" data-selectable="">
        <VisibleText>{question.question}</VisibleText>
        {multiSelect && <span className="font-normal text-fg-2"> Several are possible.</span>}
      </p>
      {options.map(({ label, description }, index) => (
        <label
          key={label}
          className="grid grid-cols-[auto_auto_minmax(0,1fr)] items-start gap-x-2 rounded-sm px-1 py-1 hover:bg-bg-2 has-checked:bg-bg-3"
        >
          <input
            type={multiSelect ? 'checkbox' : 'radio'}
            name={group}
            checked={chosen.includes(label)}
            onChange={() => onChoose(label)}
            className="mt-[3px] accent-(--accent)"
          />
          <Kbd keys={String(index + 1)} />
          <span className="min-w-0 wrap-anywhere">
            <span className="text-fg-0">
              <VisibleText>{label}</VisibleText>
            </span>
            {description !== '' && (
              <span className="block text-fg-2">
                <VisibleText>{description}</VisibleText>
              </span>
            )}
          </span>
        </label>
      ))}
      <div className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-2 px-1 py-1">
        <Kbd keys={String(options.length + 1)} />
        <input
          ref={ownField}
          dir="auto"
          autoComplete="off"
          aria-label="Your own answer"
          placeholder="Your own answer"
          maxLength={4000}
          value={draft.text(ownKeyOf(question))}
          onChange={({ target }) => {
            draft.set(ownKeyOf(question), target.value)
            if (!multiSelect && target.value.trim() !== '') draft.set(keyOf(question), [])
          }}
          onKeyDown={onKeyDown}
          className={`${INPUT_CLASS} h-7 text-sm`}
        />
      </div>
    </fieldset>
  )
}

const keyOf = ({ question }: FormQuestion): string => `chosen:${question}`
const ownKeyOf = ({ question }: FormQuestion): string => `own:${question}`

function chosenIn(draft: FormDraft, question: FormQuestion): readonly string[] {
  const value = draft.get(keyOf(question))
  return Array.isArray(value) ? value : []
}

/** The chosen labels, and the user's own text. */
function answersTo(draft: FormDraft, question: FormQuestion): readonly string[] {
  const own = draft.text(ownKeyOf(question)).trim()
  return [...chosenIn(draft, question), ...(own === '' ? [] : [own])]
}

/** Arrow keys move between radio buttons. */
function isOption({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLInputElement
}
