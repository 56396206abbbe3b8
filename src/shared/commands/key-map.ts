/**
 * Every key of the window that a part handles while it has the focus. The keys of the commands are in `commands.ts`.
 * The help and `docs/using/keys.md` are made from both; a test finds key handlers that are in neither.
 */
import { COMMANDS, type CommandGroup, type CommandId } from './commands.ts'

/** The actions on an agent, while its panel, its tile or its row in the tree has the focus. */
export const AGENT_KEYS = {
  write: 'Mod Shift M',
  pause: 'Mod Shift R',
  continue: 'Mod Shift R',
  resume: 'Mod Shift R',
  retry: 'Mod Shift T',
  background: 'Mod Shift B',
  review: 'Mod Shift D',
  stop: 'Mod Shift S',
} as const

/** The shortcuts of a focused panel, beside those of its agent. */
export const PANEL_KEYS = { focus: 'Mod Shift Enter', pin: 'Mod Shift K' } as const

/** An action whose keys the user can change. `agent.pause` also continues and resumes. */
export type KeyActionId =
  | CommandId
  | `agent.${Exclude<keyof typeof AGENT_KEYS, 'continue' | 'resume'>}`
  | `panel.${keyof typeof PANEL_KEYS}`

export type KeyPlace =
  | CommandGroup
  | 'Composer'
  | 'Focused agent'
  | 'Agent tree'
  | 'Transcript'
  | 'Conversations'
  | 'Permission requests'
  | 'Forms of agents'
  | 'Palette'
  | 'Agents view'
  | 'Definition form and source'
  | 'Test bench'
  | 'Review'
  | 'Environments'
  | 'Files and changes'
  | 'Changes of agents'
  | 'Reports'
  | 'Comparison'
  | 'Mailbox & teams'
  | 'Timeline'
  | 'Search'
  | 'All conversations'
  | 'Settings'
  | 'Fields and dividers'

interface KeyLine {
  /** The action, if the user can change its keys; see `key-bindings.ts`. */
  readonly id?: KeyActionId
  /** Alternatives: "Mod Shift Z". */
  readonly keys: readonly string[]
  readonly title: string
}

interface KeySection {
  readonly place: KeyPlace
  readonly lines: readonly KeyLine[]
}

const line = (title: string, ...keys: string[]): KeyLine => ({ title, keys })
const bound = (id: KeyActionId, title: string, keys: string): KeyLine => ({ id, title, keys: [keys] })

/** By place; the arrows are written as signs. */
const FOCUS_KEYS: Readonly<Record<Exclude<KeyPlace, CommandGroup>, readonly KeyLine[]>> = {
  Composer: [
    line('Send, or accept the completion', 'Enter'),
    line('Accept the completion', 'Tab'),
    line('New line', 'Shift Enter'),
    line('Previous and next message, or completion', '↑', '↓'),
    line('Undo: typing, completions, recalled messages, chips', 'Mod Z'),
    line('Redo', 'Mod Shift Z', 'Mod Y'),
    line('At the start of the text: remove the recipient or the last chip', 'Backspace'),
    line('Close the completions, then leave the composer', 'Esc'),
  ],
  'Focused agent': [
    line('Message, from the first letter on', 'Any letter'),
    bound('agent.write', 'Message', AGENT_KEYS.write),
    line('In the message: accept the command', 'Tab'),
    bound('agent.pause', 'Pause, continue or resume', AGENT_KEYS.pause),
    bound('agent.retry', 'Try a failed request now', AGENT_KEYS.retry),
    bound('agent.background', 'Move to background', AGENT_KEYS.background),
    bound('agent.review', 'Review changes', AGENT_KEYS.review),
    bound('agent.stop', 'Stop', AGENT_KEYS.stop),
    bound('panel.focus', 'Focus the panel, or show all panels', PANEL_KEYS.focus),
    bound('panel.pin', 'Pin or unpin the panel', PANEL_KEYS.pin),
    line('Find in the transcript', 'Mod F'),
    line('Go to the next panel', '←', '→', '↑', '↓'),
    line('Send the message of its message line', 'Enter'),
    line('Leave the message line, then the panel', 'Esc'),
  ],
  'Agent tree': [
    line('Next and previous agent', '↑', '↓'),
    line('First and last agent', 'Home', 'End'),
    line('To the parent; to the first subagent', '←', '→'),
    line('Open the panel', 'Enter', 'Space'),
  ],
  Transcript: [
    line('Find', 'Mod F'),
    line('Next and previous match', 'Enter', 'Shift Enter', '↑', '↓'),
    line('Close find; cancel editing a message', 'Esc'),
    line('To the start', 'Home', 'Mod Home', 'Mod ↑'),
    line('To the end', 'End', 'Mod End', 'Mod ↓'),
    line('One page up or down', 'PageUp', 'PageDown'),
    line('Select the whole transcript', 'Mod A'),
    line('Open a link, a path or a row', 'Enter', 'Space'),
  ],
  Conversations: [
    line('Move through the list', '↑', '↓'),
    line('Filter', '/'),
    line('Open', 'Enter'),
    line('Rename; keep the title', 'F2', 'Enter'),
    line('Cancel renaming; clear the filter; stop the reading of a conversation of another program', 'Esc'),
    line('Pin or unpin', 'P'),
    line('Archive or unarchive', 'E'),
    line('Duplicate', 'D'),
    line('Export', 'X'),
    line('Move to trash', 'Delete'),
  ],
  'Permission requests': [
    line('Allow once; in a group: all selected requests', 'A', 'Enter'),
    line('Always allow, by the chosen rule', 'Shift A'),
    line('Choose an offered rule by its number', '1', '9'),
    line('Deny with feedback', 'D'),
    line('Send the feedback', 'Enter'),
    line('Back from the feedback', 'Esc'),
    line('Why it is asked, and the details', 'W'),
    line('Next and previous request in the list', 'J', 'K'),
    line('Next and previous row of a group, then request', '↓', '↑'),
    line('First and last request', 'Home', 'End'),
    line('Select or leave out a row of a group', 'Space'),
    line('Select all rows of a group, or none', 'T'),
    line('Show all keys', '?'),
  ],
  'Forms of agents': [
    line('Choose an option by its number', '1', '9'),
    line('Next and previous question', '→', '←'),
    line('Send, or go on to the next open question', 'Enter'),
    line('Plan: approve and accept edits', 'A'),
    line('Plan: approve and ask for each edit', 'Shift A'),
    line('Plan: edit, or show as text', 'E'),
    line('Page of a server: open', 'O'),
    line('Decline, with feedback', 'D'),
    line('Leave the field or the form, which stays open', 'Esc'),
  ],
  Palette: [
    line('Next and previous result', '↑', '↓'),
    line('Run or open the result', 'Enter'),
    line('Close', 'Esc'),
  ],
  'Agents view': [
    line('Move through the list and preview', '↑', '↓', 'Home', 'End', 'PageUp', 'PageDown'),
    line('Open the definition', 'Enter'),
    line('Search the list', 'Any letter', '/', 'Mod F'),
    line('Clear the search, then return to the list', 'Esc'),
    line('Rename', 'F2'),
    line('Move to trash', 'Delete'),
    line('Save', 'Mod S'),
    line('Undo, across form, source and fixes', 'Mod Z'),
    line('Redo', 'Mod Shift Z', 'Mod Y'),
    line('Describe an agent: write the draft', 'Mod Enter'),
    line('In “Try it”, twice within a second: stop the agent', 'Esc'),
  ],
  'Definition form and source': [
    line('Take the value', 'Enter'),
    line('Restore the value', 'Esc'),
    line('Remove the chip', 'Delete', 'Backspace'),
    line('One more or less, in a number', '↑', '↓'),
    line('Undo', 'Mod Z'),
    line('Redo', 'Mod Shift Z', 'Mod Y'),
    line('Next problem', 'F8'),
    line('Fix the problem at the cursor', 'Mod .'),
    line('Accept the completion', 'Tab'),
    line('Next and previous difference, while comparing', 'F7', 'Shift F7'),
  ],
  'Test bench': [
    line('Next and previous case and version', '↑', '↓', '←', '→'),
    line('First and last version', 'Home', 'End'),
    line('Show the attempts of the result', 'Enter', 'Space'),
    line('Close the attempts', 'Esc'),
    line('Show an attempt by its number', '1', '9'),
    line('The same case with the version before or after', '[', ']'),
    line('Differences only, or all steps', 'D'),
    line('Run the chosen versions', 'R'),
    line('Stop the run', 'S'),
    line('New case', 'N'),
    line('Add version', 'V'),
  ],
  Environments: [
    line('Next, previous worktree', 'J', 'K', '↓', '↑'),
    line('Run the servers, or stop everything', 'R'),
    line('Set up, or try again', 'S'),
    line('Open in the browser', 'O'),
    line('Preview in the window, or close it', 'P'),
    line('Pull request, or close it', 'G'),
    line('Compare the lines that two agents change', 'C'),
    line('In the comparison: next and previous change', 'N', 'P'),
    line('In the preview: to the page, and back', 'F6'),
    line('In the preview: reload', 'Mod R'),
    line('In the preview: back and forward', 'Alt ←', 'Alt →'),
    line('In the preview: type a path', '/'),
    line('In the preview: close it', 'Esc'),
    line('To the log', 'L'),
  ],
  Review: [
    line('Next and previous worktree', 'J', 'K', '↑', '↓', 'Home', 'End'),
    line('To the files', 'Enter', '→'),
    line('Next and previous change', 'N', 'P'),
    line('Mark the file as viewed, or remove the mark', 'V'),
    line('Side by side or unified', 'U'),
    line('Ignore whitespace', 'W'),
    line('Whole files', 'X'),
    line('Wrap lines', 'L'),
    line('Changes since your comments, or all', 'S'),
    line('Take back the file', 'B'),
    line('Find in the file', 'Mod F'),
    line('Search the files', '/'),
    line('Ask the agent', 'A'),
    line('Merge', 'M'),
    line('Discard', 'D'),
    line('Pull request', 'R'),
    line('Show the folder', 'O'),
  ],
  'Files and changes': [
    line('Next and previous file or line', 'J', 'K', '↑', '↓'),
    line('Extend the marked lines', 'Shift ↑', 'Shift ↓'),
    line('Scroll sideways, without line wrap', 'Shift ←', 'Shift →'),
    line('First and last', 'Home', 'End'),
    line('One page up or down', 'PageUp', 'PageDown'),
    line('To the other side, or the next part', '←', '→'),
    line('Comment the line, or open the hidden lines', 'C', 'Enter'),
    line('Take back the change at the cursor', 'B'),
    line('Next and previous open conflict', 'N', 'P'),
    line('At a conflict: choose its lines by number', '1', '4'),
    line('At a conflict: edit the result', 'E'),
    line('New line in a comment', 'Shift Enter'),
    line('Back', 'Esc'),
  ],
  'Changes of agents': [
    line('Next and previous file', 'J', 'K', '↓', '↑'),
    line('Next and previous change in the file', 'N', 'P'),
    line('To the changes of the file', 'Enter'),
    line('Undo what the agent changed in the file', 'U'),
    line('Undo what the agent changed', 'Shift U'),
    line('Open in editor', 'O'),
    line('Close the preview; back to the list; back to the panels', 'Esc'),
  ],
  Reports: [
    line('Next and previous report', 'J', 'K', '↓', '↑'),
    line('First and last report', 'Home', 'End'),
    line('Open the panel of the agent', 'Enter'),
    line('Write a message', 'Esc'),
  ],
  Comparison: [
    line('Next and previous attempt', 'J', 'K', '↓', '↑'),
    line('Review the changes of the attempt', 'Enter'),
    line('Merge the attempt', 'M'),
    line('Run the check again', 'C'),
    line('Diffs side by side, and back to the results', 'D'),
    line('In the diffs: next and previous file', 'J', 'K', '↓', '↑'),
    line('In the diffs: previous and next column', '←', '→'),
    line('In the diffs: show an attempt in the column, by its number', '1', '8'),
    line('In the diffs: next and previous change', 'N', 'P'),
    line('In the diffs: three columns or two', 'T'),
    line('In the diffs: whole file or changes only', 'U'),
    line('In the diffs: ignore whitespace', 'W'),
    line('Back to the results', 'Esc'),
    line('Start the agents, from the task', 'Mod Enter'),
    line('In the task: clear it, then close the dialog', 'Esc'),
    line('In the task: bring a cleared one back', 'Mod Z'),
  ],
  'Mailbox & teams': [
    line('Next and previous agent or thread', 'J', 'K', '↑', '↓'),
    line('First and last', 'Home', 'End'),
    line('Over the tasks of the board', '←', '→', '↑', '↓'),
    line('Open the panel of the agent, or the task', 'Enter'),
    line('Write a message', 'M'),
    line('New task', 'N'),
    line('Mark the task as done', 'D'),
    line('Release the task, or open it again', 'R'),
    line('Cancel the task', 'Delete'),
    line('Send the message', 'Enter'),
    line('New line in the message', 'Shift Enter'),
    line('Leave the message', 'Esc'),
    line('From the text of a dialog: its action', 'Mod Enter'),
  ],
  Timeline: [
    line('Next and previous agent', 'J', 'K', '↓', '↑'),
    line('Next and previous span of the agent', '→', '←'),
    line('First and last span', 'Home', 'End'),
    line('Open the span in the transcript', 'Enter'),
    line('Zoom', '+', '=', '-'),
    line('Show all of it', '0'),
    line('Earlier and later', 'Shift ←', 'Shift →'),
    line('To the filter', '/'),
    line('Replay: play, or stop playing', 'Space'),
    line('Replay: next and previous request, failure or message', 'N', 'P'),
    line('Replay: the moment of the selected span', 'C'),
    line('Select nothing; show all of it; back to now', 'Esc'),
  ],
  'All conversations': [
    line('Next and previous conversation', 'J', 'K', '↓', '↑'),
    line('First and last', 'Home', 'End'),
    line('Open', 'Enter'),
    line('Choose, or choose no longer', 'X'),
    line('Choose all that are listed', 'Mod A'),
    line('Archive or unarchive', 'E'),
    line('Pin or unpin', 'P'),
    line('Export', 'S'),
    line('Show the files', 'O'),
    line('Move to the trash', 'Delete'),
    line('To the filter', '/'),
    line('Choose none; clear the filter; back', 'Esc'),
  ],
  Search: [
    line('Next and previous place', '↓', '↑', 'J', 'K'),
    line('Open the place', 'Enter'),
    line('Open the place and pin its panel', 'Mod Enter'),
    line('Match case', 'Alt C'),
    line('Whole words', 'Alt W'),
    line('Regular expression', 'Alt R'),
    line('Search again', 'R'),
    line('Next order: newest, oldest, best match', 'O'),
    line('To the field', '/'),
    line('Back', 'Esc'),
  ],
  Settings: [
    line('Search the settings, or the keys on their page', '/'),
    line('Next and previous page, or row that was found', '↓', '↑'),
    line('To the control of the row; open the page', 'Enter'),
    line('Clear the search; cancel new keys; back from a row of Insight', 'Esc'),
    line('Remove the keys, while pressing new ones', 'Backspace', 'Delete'),
    line('Leave the row without new keys', 'Tab', 'Shift Tab'),
  ],
  'Fields and dividers': [
    line('Take the value', 'Enter'),
    line('Cancel, or restore the value', 'Esc'),
    line('One more or less, in a number', '↑', '↓'),
    line('Resize the parts beside a divider', '←', '→', '↑', '↓'),
    line('Smallest and largest size of a divider', 'Home', 'End'),
    line('Default size of a divider', 'Enter'),
    line('Press a button', 'Enter', 'Space'),
  ],
}

const GROUPS: readonly CommandGroup[] = ['Go to', 'Conversation', 'Agents', 'Window']

/** Keys of the whole window that are no commands. */
const EVERYWHERE: Readonly<Partial<Record<CommandGroup, readonly KeyLine[]>>> = {
  Agents: [
    line('Close or leave the innermost part; with nothing left to close, twice: stop all agents', 'Esc'),
    line('Without a focus: message the agent under the pointer', 'Any letter'),
  ],
}

/** All keys of the window with their defaults, by the place where they work. */
export const KEY_MAP: readonly KeySection[] = [
  ...GROUPS.map((place) => ({
    place,
    lines: [
      ...COMMANDS.flatMap(({ id, group, keys, title }) =>
        group === place && keys !== undefined ? [bound(id, title, keys)] : [],
      ),
      ...(EVERYWHERE[place] ?? []),
    ],
  })),
  ...Object.entries(FOCUS_KEYS).map(([place, lines]) => ({ place: place as KeyPlace, lines })),
]
