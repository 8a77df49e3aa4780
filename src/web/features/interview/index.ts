export { DescriptionInterview } from './description-interview.tsx';
export { InterviewScreen } from './interview-screen.tsx';
