/** A page that an MCP server asks the user to open. It opens only when the user agrees; then the user confirms. */
import { useState } from 'react'
import type { FormContent } from '../../../shared/forms/form.ts'
import { command } from '../../bridge.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import type { FormPartProps } from './form-part.ts'
import { ServerText } from './server-text.tsx'

export function PageForm(props: FormPartProps<Extract<FormContent, { kind: 'elicitation-url' }>>) {
  const { form, sending, send, decline, keys } = props
  const [state, setState] = useState<'unopened' | 'opened' | { readonly failure: string }>('unopened')
  const isOpened = state === 'opened'
  const host = URL.canParse(form.url) ? new URL(form.url).host : null
  const open = () => {
    void command('system.openLink', { url: form.url }).then((answer) =>
      setState(answer.ok ? 'opened' : { failure: answer.failure.message }),
    )
  }
  keys.current = (event) => {
    if (event.key.toLowerCase() === 'o') open()
    else if (event.key === 'Enter' && isOpened) send({})
    else return false
    return true
  }
  return (
    <>
      <ServerText server={form.server} message={form.message} />
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        data-selectable=""
        className="max-h-[20vh] shrink-0 overflow-auto whitespace-pre-wrap rounded-sm bg-bg-0 px-2 py-[5px] font-mono text-fg-0 text-xs wrap-anywhere"
      >
        <VisibleText>{form.url}</VisibleText>
      </pre>
      <p className="shrink-0 text-fg-2">
        {isOpened
          ? 'The page was opened in your browser. Confirm when you are done there.'
          : `Opens in your browser${host === null ? '' : `, at ${host}`}. What you enter there goes to that site, not to Troupe or the model.`}
      </p>
      {typeof state === 'object' && (
        <p role="alert" className="shrink-0 text-bad">
          {state.failure}
        </p>
      )}
      <div className="flex shrink-0 flex-wrap gap-1.5 pt-0.5">
        {isOpened && (
          <Button disabled={sending} onClick={() => send({})}>
            Done <Kbd keys="Enter" />
          </Button>
        )}
        <Button disabled={sending} onClick={open}>
          {isOpened ? 'Open again' : 'Open page'} <Kbd keys="O" />
        </Button>
        <Button disabled={sending} onClick={decline}>
          Decline <Kbd keys="D" />
        </Button>
      </div>
    </>
  )
}
