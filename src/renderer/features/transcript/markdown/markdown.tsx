/** Renders untrusted markdown from a model. `lock-down.ts` lists the allowed elements. */

import { Children, memo, type ReactNode } from 'react'
import { type Components, Streamdown } from 'streamdown'
import { useAgent } from '../../../stores/conversation-store.ts'
import { PartBoundary } from '../../../ui/part-boundary.tsx'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import { SurroundingsContext, useAgentSurroundings, useSurroundings } from '../surroundings.ts'
import { CaretMark } from './caret-mark.tsx'
import { CodeBlock } from './code-block.tsx'
import { InlineButton } from './inline-button.tsx'
import { lockDown } from './lock-down.ts'
import styles from './markdown.module.css'
import { allText, boundNesting, type ElementNode, element, type MarkdownNode } from './tree.ts'
import { closeLink, unlinkEnd } from './unfinished.ts'

/** Bounds of a column's share, in characters. */
const NARROWEST = 4
const WIDEST = 48

/** A plugin after `lockDown`: adds the widths in percent, from the head and the first row, as `data-widths`. */
function steadyTables() {
  return (tree: unknown): void => {
    for (const table of tablesIn((tree as { children: MarkdownNode[] }).children)) {
      const rows = elementsIn(table, 'tr').slice(0, 2)
      const shares: number[] = []
      for (const row of rows)
        for (const [index, cell] of row.children.filter(isElement).entries())
          shares[index] = Math.max(
            shares[index] ?? NARROWEST,
            Math.min(WIDEST, allText(cell.children).length),
          )
      const sum = shares.reduce((total, share) => total + share, 0)
      table.properties['dataWidths'] = shares.map((share) => ((100 * share) / sum).toFixed(1)).join()
    }
  }
}

const isElement = (node: MarkdownNode): node is ElementNode => node.type === 'element'

function tablesIn(nodes: readonly MarkdownNode[]): readonly ElementNode[] {
  return nodes
    .filter(isElement)
    .flatMap((node) => (node.tagName === 'table' ? [node] : tablesIn(node.children)))
}

function elementsIn(node: ElementNode, tagName: string): readonly ElementNode[] {
  return node.children
    .filter(isElement)
    .flatMap((child) => (child.tagName === tagName ? [child] : elementsIn(child, tagName)))
}

/** Blocks in which the caret belongs to the last child. */
const CONTAINERS: ReadonlySet<string> = new Set(['ul', 'ol', 'li', 'blockquote', 'p'])

/** A plugin for the tree of HTML elements: appends a `span[data-caret]` to the last line, if any. */
function showCaret() {
  return (tree: unknown): void => {
    const caret = element('span', { dataCaret: true }, [])
    let parent = tree as { children: MarkdownNode[] }
    for (;;) {
      const last = parent.children.findLast((node) => node.type !== 'text' || node.value.trim() !== '')
      if (last?.type === 'element' && last.tagName === 'table') {
        addRow(last, caret)
        return
      }
      if (last?.type !== 'element' || last.tagName === 'pre' || last.tagName === 'hr') break
      const isLine = /^(?:h[1-6]|p|t[dh])$/.test(last.tagName)
      if (!isLine && !CONTAINERS.has(last.tagName)) break
      parent = last
      if (isLine) break
    }
    parent.children.push(caret)
  }
}

/** A streaming table shows finished rows only, so its caret is in a row of its own. */
function addRow(table: ElementNode, caret: ElementNode): void {
  const row = element('tr', {}, [element('td', {}, [caret])])
  const body = table.children.findLast((node) => node.type === 'element' && node.tagName === 'tbody')
  if (body?.type === 'element') body.children.push(row)
  else table.children.push(element('tbody', {}, [row]))
}

const FINISHED = [lockDown]
const STREAMED = [lockDown, steadyTables]
const GROWING = [lockDown, unlinkEnd, steadyTables, showCaret]
const wholeText = (text: string) => [text]

interface MarkdownProps {
  readonly text: string
  /** Whether the text is streaming. Unclosed markup is then closed, and a caret marks the end. */
  readonly growing?: boolean
  /** Whether the text streamed before. Its elements then stay the same when the text is finished. */
  readonly streamed?: boolean
}

/** Renders one text or one block of a text. Renders again only if the text changes. */
export const Markdown = memo(function Markdown({ text, growing = false, streamed = growing }: MarkdownProps) {
  return (
    <PartBoundary fallback={() => <PlainText text={text} />}>
      <Streamdown
        mode={streamed ? 'streaming' : 'static'}
        parseIncompleteMarkdown={growing}
        // The library checks only this property when a text is finished.
        isAnimating={growing}
        parseMarkdownIntoBlocksFn={wholeText}
        rehypePlugins={growing ? GROWING : streamed ? STREAMED : FINISHED}
        components={components}
        linkSafety={NO_LINK_SAFETY}
        controls={false}
        data-markdown=""
        className={styles.markdown ?? ''}
      >
        {boundNesting(growing ? closeLink(text) : text)}
      </Streamdown>
    </PartBoundary>
  )
})

/** Plain text instead of markdown that failed to render. */
export function PlainText({ text }: { readonly text: string }) {
  return (
    <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
      {text}
    </p>
  )
}

/** Links never become addresses in the page, so the library has nothing to sanitize. */
const NO_LINK_SAFETY = { enabled: false }

/** The props of a component: the attributes that `lockDown` allows, and the node. */
interface Given {
  readonly node?: unknown
  readonly children?: ReactNode
  readonly dir?: string | undefined
  readonly 'data-url'?: unknown
  readonly 'data-image'?: unknown
  readonly 'data-file'?: unknown
  readonly 'data-line'?: unknown
  readonly 'data-task'?: unknown
  readonly 'data-caret'?: unknown
  readonly 'data-whole'?: unknown
  readonly 'data-widths'?: unknown
}

const components: Components = {
  a: (props: Given) => <MarkdownLink {...props} />,
  pre: ({ node }: Given) => <Fence node={node} />,
  code: ({ children }: Given) => (
    <code dir="ltr" className={styles.code}>
      {visible(children)}
    </code>
  ),
  span: (props: Given) => <Mark {...props} />,
  // Never reached, because `lockDown` drops images. A second barrier.
  img: () => null,
  table: ({ children, dir, 'data-widths': widths }: Given) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles.table} aria-label="Table" tabIndex={0}>
      <table dir={dir}>
        {typeof widths === 'string' && <Columns widths={widths.split(',')} />}
        {children}
      </table>
    </section>
  ),
  ...Object.fromEntries(
    // The classes of the library's elements have no meaning here.
    (['p', 'ul', 'ol', 'li', 'blockquote', 'strong', 'hr', 'thead', 'tbody', 'tr', 'sup'] as const).map(
      (tag) => [tag, plain(tag)],
    ),
  ),
  ...Object.fromEntries((['th', 'td'] as const).map((tag) => [tag, plain(tag)])),
  ...Object.fromEntries((['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const).map((tag) => [tag, heading(tag)])),
}

function plain<Tag extends 'p' | 'ul' | 'ol' | 'li' | 'th' | 'td' | (string & {})>(tag: Tag) {
  return ({
    node: _,
    className: __,
    ...props
  }: {
    node?: unknown
    className?: string
    children?: ReactNode
  }) => {
    const Element = tag as 'div'
    return <Element {...props} />
  }
}

/** All headings of a message have one level below the window's own headings. */
function heading(tag: string) {
  return ({ children, dir }: { children?: ReactNode; dir?: string | undefined }) => (
    <p className={styles.heading} data-level={tag[1]} dir={dir}>
      {children}
    </p>
  )
}

function MarkdownLink(props: Given) {
  const { openFile, openLink } = useSurroundings()
  const { children } = props
  const url = props['data-url']
  const file = props['data-file']
  if (typeof url === 'string')
    return (
      <InlineButton role="link" className={styles.link} title={url} onPress={() => openLink(url)}>
        {props['data-image'] === undefined ? children : <>Image: {children}</>}
      </InlineButton>
    )
  if (typeof file === 'string') {
    const line = props['data-line']
    return (
      <InlineButton
        role="button"
        className={styles.file}
        title={`Open ${file} in your editor`}
        onPress={() => openFile({ path: file, line: typeof line === 'string' ? Number(line) : null })}
      >
        {visible(children)}
      </InlineButton>
    )
  }
  return children
}

function Mark(props: Given) {
  const task = props['data-task']
  if (props['data-caret'] !== undefined) return <CaretMark />
  if (typeof task === 'string')
    return (
      <span
        role="img"
        className={styles.task}
        data-task={task}
        aria-label={task === 'done' ? 'Done' : 'Not done'}
      />
    )
  if (props['data-whole'] !== undefined)
    return <span className={styles.whole}>{visible(props.children)}</span>
  return <span>{props.children}</span>
}

/** Text with invisible characters spelled out; elements are unchanged. */
function visible(children: ReactNode): ReactNode {
  return Children.map(children, (child) =>
    typeof child === 'string' ? <VisibleText>{child}</VisibleText> : child,
  )
}

/** Column widths. A column is wider if its longest word needs more. */
function Columns({ widths }: { readonly widths: readonly string[] }) {
  return (
    <colgroup>
      {widths.map((width, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
        <col key={index} style={{ width: `${width}%` }} />
      ))}
    </colgroup>
  )
}

interface FenceNode {
  readonly children?: readonly {
    readonly properties?: Readonly<Record<string, unknown>>
    readonly children?: readonly { readonly value?: string }[]
  }[]
}

function Fence({ node }: { readonly node: unknown }) {
  const code = (node as FenceNode | undefined)?.children?.[0]
  const text = (code?.children ?? []).map((child) => child.value ?? '').join('')
  const classes = code?.properties?.['className']
  const language = Array.isArray(classes)
    ? classes.map(String).find((name) => name.startsWith('language-'))
    : undefined
  return <CodeBlock code={text.replace(/\n$/, '')} language={language?.slice('language-'.length) ?? ''} />
}

const ignore = () => {}

/** Markdown of an agent outside its transcript, such as a plan. Links and files open as in the transcript. */
export function AgentMarkdown({ agentId, text }: { readonly agentId: string; readonly text: string }) {
  const folder = useAgent(agentId)?.cwd ?? ''
  const surroundings = useAgentSurroundings({ agentId, folder, openAgent: null, onToggle: ignore })
  return (
    <SurroundingsContext value={surroundings}>
      <Markdown text={text} />
    </SurroundingsContext>
  )
}
