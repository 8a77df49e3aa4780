export { InboxScreen } from './inbox/inbox-screen.tsx';
export { BoardScreen } from './board/board-screen.tsx';
export { ContributionScreen } from './contribution/contribution-screen.tsx';
export { PeopleScreen } from './people/people-screen.tsx';
export { DeskEntry } from './desk-entry.tsx';
