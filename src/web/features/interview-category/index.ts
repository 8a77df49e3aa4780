export { InterviewCategoryScreen } from './interview-category-screen.tsx';
