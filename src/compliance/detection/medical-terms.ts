// Words of medicine and of talk about a person: what a statement about somebody's health is made of. Lists only.

/** Conditions, by the word that gives them away in a sentence. */
export const CONDITIONS =
	"abscess|adhd|aids|alzheimer|anemia|anaemia|aneurysm|angina|anorexia|anxiety|appendicitis|arrhythmia|arthritis|asthma|atrial fibrillation|autism|bipolar|bronchitis|bulimia|cancer|carcinoma|cardiomyopathy|celiac|chemotherapy|chlamydia|cholera|cirrhosis|colitis|concussion|copd|covid|crohn|cystic fibrosis|dementia|depression|depressive|dermatitis|diabet|dialysis|eczema|embolism|emphysema|endometriosis|epilep|fibromyalgia|fracture|gastritis|glaucoma|gonorrh|gout|hepatitis|hernia|herpes|hiv|hyperlipid|hypertension|hypotension|hypothyroid|hyperthyroid|infarction|insomnia|kidney disease|kidney failure|leukemia|leukaemia|lupus|lymphoma|malaria|melanoma|meningitis|migraine|multiple sclerosis|myocardial|neuropathy|obesity|osteopor|overdose|pancreatitis|parkinson|pneumonia|pregnan|psoriasis|ptsd|psychosis|renal failure|schizophren|scoliosis|seizure|sepsis|sickle cell|sinusitis|stenosis|stroke|syphilis|thrombosis|thyroid|transplant|tubercul|tumou?r|ulcer|urinary tract infection|hip replacement|knee replacement|mastectomy|biopsy|diagnose mit|krebs|herzinfarkt|schlaganfall|bluthochdruck|diabète|dépression|cáncer|depresión|hipertensión";

/** Generic names of medicines, the endings that INN stems give them, and brands that stand for them. */
export const MEDICINES =
	"acetaminophen|adderall|albuterol|alprazolam|amitriptyline|amoxicillin|ativan|azithromycin|bupropion|buprenorphine|cephalexin|ciprofloxacin|clonazepam|codeine|diazepam|digoxin|doxycycline|duloxetine|fentanyl|fluoxetine|furosemide|gabapentin|hydrochlorothiazide|hydrocodone|hydroxychloroquine|hydroxyzine|ibuprofen|insulin|ketamine|lamotrigine|levodopa|levothyroxine|lithium|lorazepam|methadone|methotrexate|methylphenidate|metformin|metronidazole|morphine|naloxone|naproxen|norco|olanzapine|oxycodone|oxycontin|ozempic|paracetamol|percocet|prednisone|prednisolone|pregabalin|prozac|quetiapine|risperidone|ritalin|semaglutide|sertraline|tamoxifen|topiramate|tramadol|trazodone|truvada|venlafaxine|vicodin|warfarin|xanax|zoloft|zolpidem|\\w{3,12}(?:statin|sartan|azole|mycin|cillin|oxacin|prazole|olol|dipine|gliptin|gliflozin|glutide|xaban|parin|mab|tinib|vir|pril|triptan|setron|idone)";

/** Those of them that are one word in full. */
export const MEDICINE_WORDS = MEDICINES.split("|").filter((word) => /^[a-z]+$/.test(word));

/** Says that somebody in particular is meant. */
export const SOMEBODY =
	/\bpatient(?:'s|s)?\b|\bpt\b|\bpts\b|\bhe\b|\bshe\b|\bhis\b|\bher\b|\bhim\b|\bmy (?:mother|father|mom|mum|dad|wife|husband|son|daughter|brother|sister|partner|child|kid|baby|grand\w{2,8}|friend|boss|colleague|coworker|client|patient|doctor|therapist|last|recent)|\bi(?:'ve| have| was| am|'m| take| took| got)\b|\bmy \w{2,12} (?:is|was|came)|\bemployee\b|\bresident\b|\bclient\b|\bmember\b|\b\d{1,3}[ -]?(?:yo|y\/o|year[- ]olds?|years old|yr old|jährige)|\b(?:mr|mrs|ms|miss|mx|dr)\b\.?|\bpatientin\b|\bpaciente\b|\bpatiente\b|\bpaziente\b|\bdob\b|\bmrn\b|(?:john|jane) doe/;

/** What laboratories measure. */
export const ANALYTES = [
	"hba1c",
	"a1c",
	"ldl",
	"hdl",
	"tsh",
	"creatinine",
	"hemoglobin",
	"haemoglobin",
	"glucose",
	"egfr",
	"psa",
	"wbc",
	"platelets",
	"inr",
	"potassium",
	"sodium",
	"triglycerides",
	"cholesterol",
	"bilirubin",
	"ferritin",
	"crp",
	"troponin",
	"bun",
	"alt",
	"ast",
	"cd4",
	"hematocrit",
] as const;

/** Given names that are common in several countries and are hardly ever another word. */
export const GIVEN_NAMES =
	"aaron adam ahmed aisha alan alejandro alexander alexandra ali alice alicia amanda amy ana anders andrea andrew angela anita anna anne anneke anthony antonio arthur ashley barbara beatriz benjamin betty brandon brenda brian bruno carl carla carlos carmen carol caroline catherine charles charlotte chen cheryl christian christina christine christopher claire claudia cynthia daniel daniela david deborah dennis diana diego dmitri donald donna dorothy douglas eduardo edward elena elizabeth emily emma eric erik esther eva evelyn fatima felix fernando francesca francesco frank gabriel george gerald giulia giuseppe gloria gregory guillaume hannah hans harold harry heather helen helena henry hiroshi ibrahim ines ingrid isabel isabella ivan jacob jacqueline jacques james jan jane janet jason javier jean jeffrey jennifer jeremy jessica joan joanna joe johan johann john jonathan jorge jose joseph joshua joão juan judith julia julie jürgen karen karin karl katarzyna katherine kathleen kenneth kevin kimberly klaus larry laura lauren laurent lena leonardo linda lisa louis lucas lucia luis luisa magdalena maja manuel marco margaret maria marie marilyn mario marta martha martin mary mateusz matthew melissa michael michelle miguel mohamed mohammed monica monika muhammad nancy natalia nathan nicholas nicole nikolai noah olga oliver olivia omar pablo pamela patricia patrick paul paula pedro peter petra philip philippe pierre piotr priya rachel rafael rahul raj raymond rebecca ricardo richard robert roberto roger ronald ryan samantha samuel sandra sara sarah scott sean sebastian sergei sergio sharon shirley sofia sophia sophie stefan stefanie stephanie stephen steven susan susanne sven svetlana tanaka teresa theresa thomas timothy tomasz tyler ursula valentina vanessa veronica victor victoria vincent virginia vladimir walter wei wendy william wolfgang yuki yusuf zachary".split(
		" ",
	);

/** Verbs and headings under which a condition or a medicine is somebody's. */
export const CLINICAL_VERBS = [
	"diagnosed",
	"diagnosis",
	"diagnoses",
	"dx",
	"prescribed",
	"admitted",
	"treated",
	"suffers",
	"suffering",
	"hx",
	"underwent",
	"takes",
	"allergic",
	"taking",
	"hospitalized",
	"hospitalised",
	"referral",
	"complains",
	"therapy",
	"surgery",
	"diagnostiziert",
	"diagnose",
	"leidet",
	"diagnosticado",
	"diagnosticada",
] as const;

/** Conditions that are one word: each is looked at where it stands. */
export const CONDITION_WORDS =
	"alzheimer alzheimers anemia anxiety arthritis asthma autism bipolar bronchitis cancer carcinoma chemotherapy cirrhosis colitis copd crohn crohns dementia depression dialysis diabetes diabetic eczema endometriosis epilepsy epileptic fibromyalgia glaucoma gout hepatitis herpes hiv hypertension hypothyroidism leukemia leukaemia lupus lymphoma melanoma meningitis migraine migraines osteoporosis pancreatitis parkinson parkinsons pneumonia pregnant psoriasis ptsd psychosis schizophrenia schizophrenic seizure seizures sepsis stroke thrombosis tuberculosis tumor tumour".split(
		" ",
	);
